"""Gauntlet: a few runners play all the others, who do not play each other. Pure."""

from collections.abc import Sequence

from tournaments.pairing.round_robin import Pairing


def gauntlet(runners: Sequence[int], others: Sequence[int], cycles: int) -> list[list[Pairing]]:
    """Return rounds of (first, second) pairs: each runner meets each of the others once per cycle.

    No entrant plays twice in a round. A cycle has as many rounds as the longer list has entries, which is the minimum.
    From round to round, a runner alternates between first and second, so that the two counts in a cycle differ by at
    most one. Cycles alternate too, so that two of them are exactly even. Raises ValueError without runners, others or
    cycles, or if an entrant is listed twice.
    """
    if not runners or not others or cycles < 1:
        raise ValueError(f"a gauntlet needs at least 1 runner, 1 other and 1 cycle, not {len(runners)}, {len(others)} "
                         f"and {cycles}")
    if len({*runners, *others}) < len(runners) + len(others):
        raise ValueError("an entrant is listed twice: a runner must not be one of the others")
    length = max(len(runners), len(others))
    return [_round(runners, others, number, cycle, length) for cycle in range(cycles) for number in range(length)]


def _round(runners: Sequence[int], others: Sequence[int], number: int, cycle: int, length: int) -> list[Pairing]:
    pairs: list[Pairing] = []
    for x, runner in enumerate(runners):
        y = (x + number) % length
        if y < len(others):
            # The first of a pair alternates along the table of pairs, like the colours of a chessboard.
            pairs.append((runner, others[y]) if (x + y + cycle) % 2 == 0 else (others[y], runner))
    return pairs
