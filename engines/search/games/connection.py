"""The evaluators for connection games, in which a player joins two goal sides."""

from functools import cache
from math import exp
from typing import ClassVar, Final

from engines.rules.notation import SWAP, Turn
from engines.rules.ruleset import Position
from engines.search.games.paths import Paths, distance, shares, shortest_paths
from engines.search.judge import StaticEvaluation

# The rank of a word, which is always worth evaluating: higher than any cell, because a cell is worth about 2 at most.
_WORD: Final = 3.0
# At equal distances, many alternative paths are better than few. Worth less than a stone.
_PER_WAY: Final = 0.5
# The value of being to move, in stones, and the lead in stones that gives odds of e : 1.
_TURN: Final = 0.5
_STONES_TO_E: Final = 1.5


class ConnectionJudge:
    """Evaluates by the number of stones that each side still needs if the other side does nothing."""

    hexagonal: ClassVar[bool] = False

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        """Rank cells by how much the shortest paths of both sides depend on them."""
        stones, size = bytes(position.board_with(partial)), position.size
        ours, theirs = (shares(stones, size, seat, hexagonal=self.hexagonal) for seat in (0, 1))
        nearness = _nearness(size)
        return [_WORD if step < 0 else ours[step] + theirs[step] + nearness[step] for step in steps]

    def glance(self, position: Position, partial: Turn) -> StaticEvaluation:
        """Estimate the chance from the difference of the distances; a win if one legal stone joins the sides."""
        stones, size, seat = bytes(position.board_with(partial)), position.size, position.seat_to_move
        own, other = (distance(stones, size, who, hexagonal=self.hexagonal) for who in (seat, 1 - seat))
        if own == 1 and not partial and self.can_join(position, stones):
            return StaticEvaluation(1.0, wins=True)
        lead = self.lead(stones, size, seat, own, other) + _TURN
        return StaticEvaluation(1 / (1 + exp(-lead / _STONES_TO_E)))

    def can_join(self, position: Position, stones: bytes) -> bool:
        """Return whether a turn may place the one stone that is missing."""
        return True

    def lead(self, stones: bytes, size: int, seat: int, own: int, other: int) -> float:
        """Return the seat's lead in stones, from both sides' distances."""
        return max(-size, min(size, other - own))

    def rate(self, position: Position, seat: int) -> float:
        """Return the difference of the two distances; if the opponent may swap, a large lead is bad."""
        own, other = (self.paths(position.stones, position.size, who) for who in (seat, 1 - seat))
        lead = other.length - own.length + _PER_WAY * (_breadth(own) - _breadth(other))
        return -abs(lead) if SWAP in position.steps().next[:1] else lead

    def paths(self, stones: bytes, size: int, seat: int) -> Paths:
        """Return the seat's shortest paths."""
        return shortest_paths(stones, size, seat, hexagonal=self.hexagonal)


class HexJudge(ConnectionJudge):
    """The same evaluator for Hex boards."""

    hexagonal: ClassVar[bool] = True


@cache
def _nearness(size: int) -> tuple[float, ...]:
    """Return for each cell a tie-breaker that prefers inner cells: 0.01 at the centre, near 0 in a corner."""
    middle = (size - 1) / 2
    return tuple(0.01 * (1 - (abs(row - middle) + abs(column - middle)) / (2 * size))
                 for row in range(size) for column in range(size))


def _breadth(paths: Paths) -> float:
    """Return the breadth of paths: 0 with a single cell at the narrowest place, close to 1 for broad paths."""
    return 1 - 1 / min((place.bit_count() for place in paths.tight), default=1)
