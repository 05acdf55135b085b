"""Swiss: entrants with similar scores meet, and no pair meets twice. Pure."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tournaments.formats.bundled import Bundled
from tournaments.formats.contract import RoundByRound
from tournaments.formats.history import Ahead, Due, History, Tie
from tournaments.formats.swiss import repeating
from tournaments.pairing.swiss import NoPairing, SwissMatch, SwissPairings, SwissRound, default_rounds, next_round
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.scoring.standings import (
    Counts,
    Row,
    Tally,
    Unplayed,
    absence,
    bye,
    requested_bye,
    standings,
    void,
    walkover,
)


class Swiss(RoundByRound):
    """A format in which a pairing scores 1, ½ or 0 by the majority of its points; a bye scores as a win."""

    slug = "swiss"
    name = "Swiss"
    takes_rounds = True
    is_slow_to_pair = True
    # Pairing time grows steeply: ten seconds for this many, minutes for twice as many.
    most_entrants = 128
    keeps_apart = True
    tie_breaks = ("buchholz-cut-1", "buchholz", "sonneborn-berger", "wins")

    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0, most: int | None = None) -> int:
        return self.rounds(entrants, rounds) * (entrants // 2)

    def rounds(self, entrants: int, wanted: int | None) -> int:
        """Return the number of rounds wanted, limited by the number of opponents; a suitable default if None."""
        if entrants < 2:
            return 0
        return default_rounds(entrants) if wanted is None else min(wanted, entrants - 1 + entrants % 2)

    def next(self, history: History) -> Due | None:
        if history.last >= (history.rounds_wanted or 0) or history.entrants - len(history.left) < 2:
            return None
        # So many may have left that all remaining entrants have met: the event ends with the rounds played so far.
        return next(self._ways(history), None)

    def _ways(self, history: History) -> Iterator[Due]:
        """Yield the next round with bots kept apart, and without keeping them apart."""
        number, played = history.last + 1, rounds_of(history)
        apart = history.together if number <= history.apart_rounds else frozenset()
        for kept in dict.fromkeys((apart, frozenset[frozenset[int]]())):
            paired = self.paired(history.entrants, history.rounds_wanted or 0, played, history.left, kept)
            if paired is not None:
                yield Due(number, paired.pairs, [] if paired.bye is None else [paired.bye], apart_relaxed=kept != apart)

    def paired(self, entrants: int, rounds: int, played: tuple[SwissRound, ...], absent: frozenset[int],
               apart: frozenset[frozenset[int]]) -> SwissPairings | None:
        """Return the round after `played`; None if no pairing is left. The last results are cached."""
        return _paired(entrants, rounds, played, absent, apart)

    def virtual_points(self, entrants: int, rounds: int) -> list[list[float]]:
        """Return the virtual points for every round, by entrant; empty without an acceleration."""
        return []

    def standings(self, entrants: Sequence[int], counts: Counts, tie_breaks: Sequence[str],
                  history: History) -> list[Row]:
        """Rank by match points. A bye or a walkover counts as a win, and a void match as a draw.

        A tie counts once it is over. The scores shown next to the points are of all games played.
        """
        aside = {frozenset(entrants[place] for place in pair) for pair in _set_aside(history)}
        unplayed = [replace(lost, entrant=entrants[lost.entrant],
                            opponent=None if lost.opponent is None else entrants[lost.opponent])
                    for lost in _unplayed(history)]
        rows = _standings(entrants, counts, tie_breaks, unplayed, aside, history.cycles)
        annulled = {entrants[place] for place in history.annulled}
        for row in rows:
            row.annulled = row.entrant in annulled
        return rows

    def ahead(self, history: History) -> Ahead:
        """Count what is still to come. If entrants have left, there may be fewer rounds, as no pair meets twice."""
        made = len(history.rounds)
        present = set(range(history.entrants)) - history.left
        pairs, ahead = len(present) // 2, (history.rounds_wanted or made) - made
        if not pairs or ahead <= 0:
            return Ahead(0, made, made)
        if not history.left:
            return Ahead(ahead * pairs * history.cycles, made + ahead, made + ahead)
        met = {frozenset((tie.first, tie.second)) for tie in history.ties
               if (tie.played or tie.open) and {tie.first, tie.second} <= present}
        ahead = min(ahead, (len(present) * (len(present) - 1) // 2 - len(met)) // pairs)
        return Ahead(ahead * pairs * history.cycles, made, made + ahead)

    def bundle_facts(self, history: History, bots: Sequence[str]) -> dict[str, Any]:
        """Return the pairings. What was decided without play follows from them."""
        return repeating.facts(history)

    def verified_standings(self, bundle: Bundled) -> list[Row]:
        if not bundle.entrants:
            return []
        if "unplayed" not in bundle.event:
            return self.standings(bundle.entrants, Counts.of(bundle.tallies()), bundle.tie_breaks,
                                  repeating.stated(bundle))
        # Bundles of earlier releases state what was decided without play.
        place_of = bundle.place_of
        aside = {frozenset(place_of[bot] for bot in pair) for pair in bundle.event["aside"]}
        unplayed = [Unplayed(place_of[lost["bot"]], lost["result"],
                             None if lost["opponent"] is None else place_of[lost["opponent"]],
                             voluntary=lost["voluntary"], for_good=lost["for_good"])
                    for lost in bundle.event["unplayed"]]
        return _standings(bundle.entrants, bundle.tallies(), bundle.tie_breaks, unplayed, aside, bundle.cycles)

    def repeated_pairings(self, bundle: Bundled) -> str:
        return repeating.repeat(self, bundle)


@lru_cache(maxsize=16)
def _paired(entrants: int, rounds: int, played: tuple[SwissRound, ...], absent: frozenset[int],
            apart: frozenset[frozenset[int]]) -> SwissPairings | None:
    """Return `next_round`, which depends only on its arguments; None if no pairing is left."""
    try:
        return next_round(entrants, rounds, played, absent, apart=apart)
    except NoPairing:
        return None


def _standings(entrants: Sequence[int], games: Counts | Sequence[Tally], tie_breaks: Sequence[str],
               unplayed: Sequence[Unplayed], aside: Collection[frozenset[int]], cycles: int) -> list[Row]:
    return standings(entrants, games, tie_breaks=tie_breaks, unplayed=unplayed, aside=aside,
                     games_per_match=GAMES_PER_MATCH * cycles, by_match=True)


def rounds_of(history: History) -> tuple[SwissRound, ...]:
    """Return the rounds in the form that the pairing needs; of the last one, only the ties that are over."""
    return tuple(SwissRound(tuple(SwissMatch(tie.first, tie.second, _scores(tie, history), played=tie.played > 0)
                                  for tie in round_.ties if not tie.open),
                            min(round_.byes, default=None), tuple(sorted(round_.rests.items())))
                 for round_ in history.rounds)


def _losers(tie: Tie, history: History) -> set[int]:
    """Return the sides that lose the tie without regard to its games: they had left, or their games are annulled."""
    return tie.gone | ({tie.first, tie.second} & history.annulled)


def _scores(tie: Tie, history: History) -> tuple[float, float]:
    losers = _losers(tie, history)
    return (float(tie.first not in losers), float(tie.second not in losers)) if losers else tie.scores()


def _set_aside(history: History) -> set[frozenset[int]]:
    """Return the pairs whose games decide nothing: ties still in progress, and walkovers."""
    return {frozenset((tie.first, tie.second)) for tie in history.ties
            if tie.open or _losers(tie, history)}


def _unplayed(history: History) -> list[Unplayed]:
    """Return what was decided without play: byes, walkovers, void matches, absences."""
    unplayed: list[Unplayed] = []
    # The last round for which each entrant was there: after it, a requested bye counts as an absence (C.07, 16.3).
    last = {place: round_.number for round_ in history.rounds
            for place in {*round_.byes, *(place for tie in round_.ties for place in (tie.first, tie.second)
                                          if place not in _losers(tie, history))}}
    for round_ in history.rounds:
        unplayed += [bye(place) for place in sorted(round_.byes - history.annulled)]
        unplayed += [requested_bye(place, 0.0 if place in history.annulled else points,
                                   for_good=round_.number > last.get(place, 0))
                     for place, points in sorted(round_.rests.items())]
        for tie in round_.ties:
            losers = _losers(tie, history)
            if len(losers) == 2:
                unplayed += [replace(lost, result=0.0, voluntary=True) for lost in void(tie.first, tie.second)]
            elif losers and not tie.open:
                unplayed += walkover(*((tie.second, tie.first) if tie.first in losers else (tie.first, tie.second)))
            elif not tie.open and not tie.played:
                unplayed += void(tie.first, tie.second)
        there = {place for tie in round_.ties for place in (tie.first, tie.second)}
        there |= (round_.byes - history.annulled) | round_.rests.keys()
        unplayed += [absence(place) for place in range(history.entrants) if place not in there]
    return unplayed
