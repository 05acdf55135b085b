"""The judge of the games in which a side joins its goal sides."""

from typing import Final

from engines.notation import SWAP, Turn
from engines.ruleset import Position
from engines.search.judge import stones_with
from engines.search.paths import Paths, shares, shortest_paths

# A word is always worth a look; nothing on the board is worth more than twice 1.
_WORD: Final = 3.0
# Among equal distances, many ways to go are better than few. Small against a whole stone.
_PER_WAY: Final = 0.5


class ConnectionJudge:
    """Judges by the number of stones that either side still needs, were the other to do nothing."""

    def __init__(self, *, hexagonal: bool) -> None:
        self._hexagonal = hexagonal

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        """A cell is worth what the shortest paths of both sides hang on it."""
        stones, size = bytes(stones_with(position, partial)), position.size
        ours, theirs = (shares(self._paths(stones, size, seat), size) for seat in (0, 1))
        middle = (size - 1) / 2
        return [_WORD if step < 0 else ours[step] + theirs[step] + 0.01 * _nearness(step, size, middle)
                for step in steps]

    def rate(self, position: Position, seat: int) -> float:
        """The difference of the two distances; where the other may swap, a lead is no good."""
        own, other = (self._paths(position.stones, position.size, who) for who in (seat, 1 - seat))
        lead = other.length - own.length + _PER_WAY * (_breadth(own) - _breadth(other))
        return -abs(lead) if SWAP in position.steps().next[:1] else lead

    def _paths(self, stones: bytes, size: int, seat: int) -> Paths:
        return shortest_paths(stones, size, seat, hexagonal=self._hexagonal)


def _nearness(cell: int, size: int, middle: float) -> float:
    """1 at the centre of the board, near 0 in a corner."""
    row, column = divmod(cell, size)
    return 1 - (abs(row - middle) + abs(column - middle)) / (2 * size)


def _breadth(paths: Paths) -> float:
    """0 for a path with a single way at its narrowest place, towards 1 for a broad one."""
    return 1 - 1 / min((place.bit_count() for place in paths.tight), default=1)
