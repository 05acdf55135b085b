"""Results of entrants that left, or were disqualified, when all rounds were paired at the start. Pure.

FIDE Tournament Rules (Handbook C.06, article 5.4): an entrant that leaves a round-robin before it has played half of
its games stays in the table and its games stay rated, but its games are not counted. If it has played at least half,
they count, and its opponents win the games that it did not play.

An entrant misses only what was still to be played when it left. A void match, and a match against an entrant that had
left before, are neither played nor missed.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from itertools import combinations
from typing import NamedTuple

from tournaments.formats.history import ANNUL, History, Missed
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
        missed = Counter(place for match in history.missed for place in match.gone)
        annulled |= {place for place in history.left
                     if sum(map(sum, counts.meetings.get(entrants[place], {}).values()))
                     < GAMES_PER_MATCH * missed[place]}
        for (place, opponent), matches in sorted(_won(history).items()):
            if not annulled & {place, opponent}:
                unplayed += [Unplayed(entrants[opponent], float(matches), entrants[place]),
                             Unplayed(entrants[place], 0.0, entrants[opponent], voluntary=True)]
    aside = {frozenset((entrants[place], entrants[other])) for place in annulled for other in opponents(place)}
    return Settled(frozenset(entrants[place] for place in annulled), frozenset(aside), unplayed)


def assumed(history: History, entrants: Mapping[int, int], counts: Counts, opponents: Opponents) -> list[Missed]:
    """Return the missed matches as earlier releases did: all that a leaver has not played, whatever the reason."""
    met, found = counts.meetings, []
    for pair in combinations(range(history.entrants), 2):
        gone = history.left & {*pair}
        if gone and pair[1] in opponents(pair[0]):
            played = sum(met.get(entrants[pair[0]], {}).get(entrants[pair[1]], ())) // GAMES_PER_MATCH
            found += [Missed(*pair, datetime.min.replace(tzinfo=UTC), gone)] * (history.cycles - played)
    return found


def _won(history: History) -> Counter[tuple[int, int]]:
    """Return how many matches the first of each pair missed while the second was there."""
    return Counter((place, opponent) for match in history.missed
                   for place, opponent in ((match.first, match.second), (match.second, match.first))
                   if match.gone == {place})
