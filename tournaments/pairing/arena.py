"""Pairs of an arena: neighbours in the standings among the free entrants, but not two that have just met. Pure.

Two entrants have just met if the last match of either was against the other. Draw a line between each such two: every
entrant brings one line, and a ring of three or more is impossible, because each line would be newer than the one
before it. Of an even number of entrants, all can therefore be paired unless one of them, the hub, has lines to all the
others. This makes a search with steps back unnecessary: a pair is taken if the rest has no hub.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from tournaments.pairing.round_robin import Pairing


def paired(free: Sequence[int], last: Mapping[int, int], since: Mapping[int, int]) -> list[Pairing]:
    """Return as many pairs as possible of the free entrants, which are in the order of the standings, best first.

    `last` is each entrant's last opponent, and `since` the number of the wave in which it was last paired, if any. If
    not all can be paired, those that were paired last wait.
    """
    order = list(free)
    if len(order) % 2 == 0 and (hub := _hub(order, last)) is not None:
        order.remove(hub)
    if len(order) % 2 == 1:
        _leave_one_out(order, last, since)
    pairs = []
    while len(order) > 1 and _hub(order, last) is None:
        best = order.pop(0)
        other = next(other for other in order if not just_met(best, other, last)
                     and _hub([each for each in order if each != other], last) is None)
        order.remove(other)
        pairs.append((best, other))
    return pairs


def just_met(one: int, other: int, last: Mapping[int, int]) -> bool:
    """Return whether the last match of either entrant was against the other."""
    return last.get(one) == other or last.get(other) == one


def _leave_one_out(order: list[int], last: Mapping[int, int], since: Mapping[int, int]) -> None:
    """Remove the entrant that was paired last, and of several the lowest, if all the others can then be paired."""
    latest = order[::-1]
    latest.sort(key=lambda entrant: -since.get(entrant, 0))
    out = next((entrant for entrant in latest
                if _hub([other for other in order if other != entrant], last) is None), latest[0])
    order.remove(out)


def _hub(entrants: Sequence[int], last: Mapping[int, int]) -> int | None:
    """Return the entrant that has just met all the others; of two that have, the lower one; None without one."""
    there = set(entrants)
    lines = {frozenset((entrant, last[entrant])) for entrant in entrants if last.get(entrant) in there}
    degrees = Counter(entrant for line in lines for entrant in line)
    return next((entrant for entrant in reversed(entrants) if degrees[entrant] == len(entrants) - 1 > 0), None)
