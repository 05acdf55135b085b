"""Results of entrants that left, or were disqualified, when all rounds were paired at the start. Pure.

FIDE Tournament Rules (Handbook C.06, article 5.4): an entrant that leaves a round-robin before it has played half of
its games stays in the table and its games stay rated, but its games are not counted. If it has played at least half,
they count, and its opponents win the games that it did not play.
"""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from tournaments.formats.history import ANNUL, History
from tournaments.scoring.scores import GAMES_PER_MATCH, Counts, Unplayed

Opponents = Callable[[int], Collection[int]]


class Settled(NamedTuple):
    """The entrants whose games do not count, the pairs that this concerns, and games won without play."""

    annulled: frozenset[int]
    aside: frozenset[frozenset[int]]
    unplayed: list[Unplayed]


def settled(history: History, entrants: Mapping[int, int], counts: Counts, opponents: Opponents) -> Settled:
    """Return what the event's policy and its rulings make of the results; `entrants` maps places to IDs in `counts`."""
    annulled, unplayed = set(history.annulled), []
    if history.withdrawals == ANNUL:
        due = GAMES_PER_MATCH * history.cycles
        met = {place: counts.meetings.get(entrants[place], {}) for place in history.left}
        annulled |= {place for place in history.left
                     if 2 * sum(map(sum, met[place].values())) < due * len(opponents(place))}
        for place in sorted(history.left - annulled):
            for opponent in sorted({*opponents(place)} - history.left - annulled):
                missing = due - sum(met[place].get(entrants[opponent], ()))
                if missing > 0:
                    unplayed += [Unplayed(entrants[opponent], missing / GAMES_PER_MATCH, entrants[place]),
                                 Unplayed(entrants[place], 0.0, entrants[opponent], voluntary=True)]
    aside = {frozenset((entrants[place], entrants[other])) for place in annulled for other in opponents(place)}
    return Settled(frozenset(entrants[place] for place in annulled), frozenset(aside), unplayed)
