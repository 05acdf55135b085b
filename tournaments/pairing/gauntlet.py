"""Gauntlet: a few runners meet all the others, who do not meet one another. Pure."""

from collections.abc import Sequence

from tournaments.pairing.round_robin import Pairing


def gauntlet(runners: Sequence[int], others: Sequence[int], cycles: int) -> list[list[Pairing]]:
    """Rounds of (first, second) pairs: each runner meets each of the others once a cycle, nobody twice in a round.

    A cycle has as many rounds as the longer list is long, which is the fewest possible. From round to round a runner
    takes turns at being first, so its firsts and seconds in a cycle differ by one at most; cycles alternate, so that
    two of them are exactly even. Raises ValueError without runners, others or cycles, or if somebody is listed twice.
    """
    if not runners or not others or cycles < 1:
        raise ValueError(f"a gauntlet has at least 1 runner, 1 other and 1 cycle, not {len(runners)}, {len(others)} "
                         f"and {cycles}")
    if len({*runners, *others}) < len(runners) + len(others):
        raise ValueError("nobody is listed twice in a gauntlet: a runner is none of the others")
    length = max(len(runners), len(others))
    return [_round(runners, others, number, cycle, length) for cycle in range(cycles) for number in range(length)]


def _round(runners: Sequence[int], others: Sequence[int], number: int, cycle: int, length: int) -> list[Pairing]:
    pairs: list[Pairing] = []
    for x, runner in enumerate(runners):
        y = (x + number) % length
        if y < len(others):
            # Who is first goes by the diagonals of the table of pairs, like the colours of a chessboard.
            pairs.append((runner, others[y]) if (x + y + cycle) % 2 == 0 else (others[y], runner))
    return pairs
