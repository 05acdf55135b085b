"""The evaluator for SquareSquared: stones on the edge, and whether they will live."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from engines.rules.bitboard import Geometry, cells_of, cells_with, geometry
from engines.rules.games.squaresquared import SquareSquared, rings
from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.judge import StaticEvaluation

# The value of a stone on each ring, from the edge inwards; deeper rings count like the last one.
_RING: Final = (1.0, 0.45, 0.25)
_PER_LIBERTY: Final = 0.06
_EYE: Final = 0.5
_RANK_OF_PASS: Final = 0.1
_RANK_OF_LAST_PASS: Final = 2.0


class EdgesJudge:
    """Evaluates stones on the rings, groups that can be captured at once, liberties and eyes."""

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        """Rank captures and rescues first, then points near the edge. Filling an own eye is useless.

        A pass ranks low unless the opponent has just passed.
        """
        assert isinstance(position, SquareSquared)
        word = _RANK_OF_LAST_PASS if position.passed else _RANK_OF_PASS
        own = cells_with(position.stones, position.seat_to_move + 1)
        other = cells_with(position.stones, 2 - position.seat_to_move)
        board, worth = geometry(position.size), point_worth(position.size)
        urgent = 0
        for stones in (own, other):
            for _, liberties in groups_with_liberties(board, stones, own | other):
                if liberties.bit_count() == 1:
                    urgent |= liberties
        return [self._rank_point(step, board, own, other, worth, urgent) if step >= 0 else word for step in steps]

    def _rank_point(self, point: int, board: Geometry, own: int, other: int, worth: tuple[float, ...],
                    urgent: int) -> float:
        near = board.orthogonal[point]
        if urgent >> point & 1:
            return 2.0 + worth[point]
        if not near & ~own:
            return 0.0
        return 0.5 + worth[point] + 0.2 * bool(near & other) + 0.1 * (near & ~own & ~other).bit_count()

    def glance(self, position: Position, partial: Turn) -> StaticEvaluation:
        """Return no opinion: the playouts are better."""
        return StaticEvaluation()

    def rate(self, position: Position, seat: int) -> float:
        """Evaluate with the opponent to move: stones it can capture count as lost, stones we can capture count half."""
        own, other = cells_with(position.stones, seat + 1), cells_with(position.stones, 2 - seat)
        board, worth = geometry(position.size), point_worth(position.size)
        return (self._side(board, own, other, worth, doomed=1.0)
                - self._side(board, other, own, worth, doomed=0.5))

    def _side(self, board: Geometry, own: int, other: int, worth: tuple[float, ...], doomed: float) -> float:
        value = 0.0
        for group, liberties in groups_with_liberties(board, own, own | other):
            stones = sum(worth[point] for point in cells_of(group))
            count = liberties.bit_count()
            value += stones * (1 - doomed) if count == 1 else stones + _PER_LIBERTY * min(count, 6)
        empty = board.full & ~own & ~other
        eyes = sum(1 for point in cells_of(empty & ~board.beside(other)) if not board.orthogonal[point] & ~own)
        return value + _EYE * min(eyes, 4)


def groups_with_liberties(board: Geometry, stones: int, taken: int) -> Iterator[tuple[int, int]]:
    """Yield each group of `stones` with its liberties: the points next to it that are not in `taken`."""
    for group in board.groups(stones):
        yield group, board.beside(group) & ~taken


@cache
def point_worth(size: int) -> tuple[float, ...]:
    """Return the value of a stone on each point."""
    worth = [0.0] * (size * size)
    for depth, ring in enumerate(rings(size)):
        for point in ring:
            worth[point] = _RING[min(depth, len(_RING) - 1)]
    return tuple(worth)
