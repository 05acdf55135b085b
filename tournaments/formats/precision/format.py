"""Precision: matches are played until every rating, or the first places, are known as precisely as wanted. Pure.

The decisions behind it are in docs/decisions/0044-precision-events.md. The arithmetic needs NumPy and SciPy, which are
imported only where it is used.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engines.records.bundle import BundleError
from tournaments.formats.bundled import JSON, Bundled, Mismatch
from tournaments.formats.contract import RoundByRound
from tournaments.formats.history import Ahead, Due, Goal, History, Played, RoundSoFar, Tie
from tournaments.formats.precision.batches import batch_of
from tournaments.formats.precision.state import looks, matches_made, state_of
from tournaments.formats.precision.stopping import share, stopped
from tournaments.scoring.standings import Counts, Row, standings

if TYPE_CHECKING:
    from ratings.precision.state import State


class Precision(RoundByRound):
    """A format whose organiser names a target instead of a number of rounds."""

    slug = "precision"
    name = "Precision"
    takes_target = True
    needs_games = True
    ahead_is = "at most"
    annuls = False
    meets_again = True
    is_slow_to_pair = True
    most_entrants = 128
    tie_breaks = ()

    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0, most: int | None = None) -> int:
        return (most or 0) if entrants > 1 else 0

    def most_matches_of_a_pair(self, cycles: int) -> int:
        return 0

    def next(self, history: History) -> Due | None:
        if stopped(history) is not None:
            return None
        return Due(history.last + 1, batch_of(history))

    def ahead(self, history: History) -> Ahead:
        """Return the matches up to the cap: how many the target needs is not known before it is met."""
        made = len(history.rounds)
        if history.goal is None or stopped(history) is not None:
            return Ahead(0, made, made)
        return Ahead(history.goal.max_matches - matches_made(history), made + 1, made + looks(
            max(matches_made(history), 1), history.goal.max_matches))

    def done(self, history: History) -> float:
        return share(history)

    def standings(self, entrants: Sequence[int], counts: Counts, tie_breaks: Sequence[str],
                  history: History) -> list[Row]:
        """Rank by rating: entrants meet different opponents, so their points cannot be compared."""
        place_of = {entrant: place for place, entrant in enumerate(entrants)}
        return _ranked(standings(entrants, counts, tie_breaks=tie_breaks), place_of, state_of(history))

    def bundle_facts(self, history: History, bots: Sequence[str]) -> dict[str, Any]:
        """Return the target, and each round's pairs and absent entrants by place, for `verify` to pair it again."""
        from ratings.official import MODEL

        goal = history.goal
        return {
            "model": MODEL,
            "target": goal and {"kind": goal.kind, "value": goal.value, "max_matches": goal.max_matches,
                                "max_hours": goal.max_hours, "seed": goal.seed},
            "pairings": [{"pairs": [list(pair) for pair in round_.pairs], "absent": sorted(round_.absent)}
                         for round_ in history.rounds],
            "left": sorted(history.left),
            "stopped": stopped(history),
        }

    def verified_standings(self, bundle: Bundled) -> list[Row]:
        """Pair every round again, decide again why the event stopped, and return the rows."""
        from ratings.official import MODEL

        if (model := bundle.event.get("model", "davidson/1")) != MODEL:
            raise BundleError(f"event.json: its ratings are of the model {model}, and this squarefield has {MODEL}. "
                              "Verify it with the squarefield of the site's release at that time")
        full = _history(bundle)
        for number, round_ in enumerate(full.rounds):
            before = replace(full, rounds=full.rounds[:number], left=round_.absent,
                             games=tuple(game for game in full.games if game.round <= number))
            due = self.next(before)
            if due is None or list(due.pairs) != list(round_.pairs):
                raise Mismatch(f"event.json, pairings: those of round {number + 1} do not follow from the seed and the "
                               "games before it")
        if bundle.event["event"]["status"] == "finished" and stopped(full) is None:
            raise Mismatch("event.json, stopped: the event finished, but neither its target nor a limit was reached")
        if bundle.event["stopped"] != stopped(full):
            raise Mismatch(f"event.json, stopped: it is {bundle.event['stopped']}, but the games give {stopped(full)}")
        rows = standings(bundle.entrants, bundle.tallies(), tie_breaks=bundle.tie_breaks)
        return _ranked(rows, {place: place for place in bundle.entrants}, state_of(full))


def _ranked(rows: Sequence[Row], place_of: dict[int, int], state: "State | None") -> list[Row]:
    if state is None:
        return list(rows)
    ratings = state.ratings.tolist()
    ordered = sorted(rows, key=lambda row: (-ratings[place_of[row.entrant]], place_of[row.entrant]))
    return [replace(row, place=1 + sum(rating > ratings[place_of[row.entrant]] for rating in ratings))
            for row in ordered]


def _history(bundle: Bundled) -> History:
    """Return the history from a bundle's facts and games."""
    event, facts = bundle.event, bundle.event["target"]
    rounds = [RoundSoFar(number, [Tie(*pair) for pair in listed["pairs"]], frozenset(), absent=frozenset(
        listed["absent"]), pairs=[(pair[0], pair[1]) for pair in listed["pairs"]])
        for number, listed in enumerate(event["pairings"], start=1)]
    return History(len(bundle.entrants), 1, left=frozenset(event["left"]), rounds=rounds,
                   goal=Goal(facts["kind"], facts["value"], facts["max_matches"], facts["max_hours"], facts["seed"]),
                   games=tuple(_played(bundle, event["event"]["started_at"])))


def _played(bundle: Bundled, started: str) -> list[Played]:
    of_match: dict[int, list[JSON]] = {}
    for game in bundle.games:
        of_match.setdefault(game["match"], []).append(game)
    return [Played.of(
        games[0]["round"], games[0]["pairing"], [tuple(bundle.place_of[seat["bot"]] for seat in game["seats"])
                                                 for game in games],
        [game["record"]["result"]["winner"] for game in games], games[0]["record"]["opening"],
        [game["record"]["turns"] for game in games], started, games[-1]["ended_at"])
        for games in sorted(of_match.values(), key=lambda games: (games[0]["round"], games[0]["pairing"]))]
