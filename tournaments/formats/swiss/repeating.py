"""Repetition of a Swiss event's pairings, from its bundle: every round must follow from the earlier ones. Pure.

A round whose pairings the organiser changed must follow from exactly the changes that the bundle names.
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tournaments.formats.bundled import JSON, Bundled, Mismatch
from tournaments.formats.history import History, RoundSoFar, Tie
from tournaments.formats.swiss.changing import Plan, Unchangeable
from tournaments.pairing.swiss import SwissMatch, SwissRound
from tournaments.scoring.scores import GAMES_PER_MATCH

if TYPE_CHECKING:
    from tournaments.formats.swiss.standard import Swiss


def facts(history: History) -> JSON:
    """Return the rounds as they were paired, with what later pairings depend on. Entrants are places in the draw."""
    return {
        "rounds_planned": history.rounds_wanted, "apart_rounds": history.apart_rounds,
        "pairings": [{
            "ties": [{"pair": [tie.first, tie.second], "scores": list(tie.scores()), "played": tie.played > 0,
                      "open": tie.open > 0, "gone": sorted(tie.gone)} for tie in round_.ties],
            "bye": min(round_.byes, default=None),
            "rests": [list(rest) for rest in sorted(round_.rests.items())],
        } for round_ in history.rounds],
    }


def stated(bundle: Bundled) -> History:
    """Return the rounds as the bundle states them: whether a tie was played, without its points. Raises Mismatch."""
    rounds = [RoundSoFar(
        number, [Tie(tie["pair"][0], tie["pair"][1], played=int(tie["played"]), open=int(tie["open"]),
                     gone={*tie["gone"]}) for tie in round_["ties"]],
        frozenset() if round_["bye"] is None else frozenset({round_["bye"]}),
        dict(round_["rests"]))
        for number, round_ in enumerate(bundle.event["pairings"], start=1)]
    made = replace(bundle.history, rounds=rounds)
    if gone := {place for tie in made.ties for place in tie.gone} - made.left:
        raise Mismatch(f"event.json, pairings: entrant {min(gone)} is stated as gone, but has not left")
    return made


def repeat(form: "Swiss", bundle: Bundled) -> str:
    """Pair every round again, and return a sentence about it. Raises Mismatch.

    Rounds in which bots of one owner were kept apart are not repeated: bots may have changed their team since.
    """
    event = bundle.event
    # Bundles of earlier releases do not have them.
    if "pairings" not in event:
        return ""
    _check_games(bundle)
    if find_spec("caissify_pairings") is None:
        return " The pairings were not repeated: install caissify-pairings."
    entrants, repeated = len(event["entries"]), 0
    for number, round_ in enumerate(event["pairings"], start=1):
        if number <= event["apart_rounds"]:
            continue
        stated = _plan(round_)
        absent = set(range(entrants)) - {place for pair in stated.pairs for place in pair} - {stated.bye}
        paired = form.paired(entrants, event["rounds_planned"], _before(event, number), frozenset(absent), frozenset())
        if paired is None or _changed(Plan(tuple(paired.pairs), paired.bye), event, number, bundle) != stated:
            raise Mismatch(f"event.json, pairings: those of round {number} do not follow from the results before it "
                           "and from the organiser's changes")
        repeated += 1
    return f" {repeated} rounds paired again, with {len(event.get('changed_pairings', ()))} changes by hand."


def _changed(plan: Plan, event: JSON, number: int, bundle: Bundled) -> Plan:
    """Return the round after the organiser's changes."""
    place_of = bundle.place_of
    for change in event.get("changed_pairings", ()):
        if change["round"] == number:
            try:
                plan = plan.changed((place_of[change["first"]],
                                     None if change["second"] is None else place_of[change["second"]]))
            except Unchangeable as error:
                raise Mismatch(f"event.json, changed_pairings: a change of round {number} is impossible: {error}"
                               ) from None
    return plan


def _plan(round_: JSON) -> Plan:
    return Plan(tuple((tie["pair"][0], tie["pair"][1]) for tie in round_["ties"]), round_["bye"])


def _before(event: JSON, number: int) -> tuple[SwissRound, ...]:
    """Return the rounds before this one, with the results that counted when it was paired."""
    annulled = {place for place, entry in enumerate(event["entries"])
                if (ruling := entry.get("disqualified")) and ruling["annulled"] and ruling["round"] < number}
    return tuple(SwissRound(tuple(_match(tie, annulled) for tie in round_["ties"]), round_["bye"],
                            tuple((place, points) for place, points in round_["rests"]))
                 for round_ in event["pairings"][:number - 1])


def _match(tie: JSON, annulled: set[int]) -> SwissMatch:
    first, second = tie["pair"]
    losers = {*tie["gone"]} | ({first, second} & annulled)
    scores: Sequence[Any] = [float(place not in losers) for place in (first, second)] if losers else tie["scores"]
    return SwissMatch(first, second, (scores[0], scores[1]), played=tie["played"])


def _check_games(bundle: Bundled) -> None:
    """Check that every game belongs to a stated pair, and that the stated scores of played pairs are its majority."""
    event, bots = bundle.event, list(bundle.place_of)
    points = bundle.points_by_pair()
    stated = {(number, frozenset(bots[place] for place in tie["pair"])): tie
              for number, round_ in enumerate(event["pairings"], start=1) for tie in round_["ties"]}
    for number, pair in points:
        if (number, pair) not in stated:
            raise Mismatch(f"event.json, pairings: {' and '.join(sorted(pair))} have games of round {number}, but are "
                           "not paired in it")
    for (number, pair), tie in stated.items():
        if tie["played"] is not ((number, pair) in points):
            raise Mismatch(f"event.json, pairings: {' and '.join(sorted(pair))} have {'no ' * tie['played']}games of "
                           f"round {number}, which contradicts `played`")
        gained = [points.get((number, pair), {}).get(bots[place], 0.0) for place in tie["pair"]]
        if tie["gone"] or sum(gained) < GAMES_PER_MATCH * bundle.cycles:
            continue
        won = (gained[0] > gained[1]) - (gained[0] < gained[1])
        if tie["scores"] != [(1 + won) / 2, (1 - won) / 2]:
            raise Mismatch(f"event.json, pairings: the scores of {' and '.join(sorted(pair))} in round {number} do not "
                           "follow from their games")
