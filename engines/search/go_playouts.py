"""Light Go playouts for SquareSquared: any point but one's own eyes, until neither side can go on."""

from functools import cache
from random import Random
from typing import Final

from engines.bitboard import Geometry, cells_of, cells_with, geometry, mask_of
from engines.notation import Turn
from engines.ruleset import Position
from engines.rulesets.squaresquared import rings
from engines.search.estimate import Estimate

# Playouts for one estimate: the tree's own visits do the rest.
_PLAYOUTS: Final = 4
# Superko is not watched here, only retaking at once; this ends what it would otherwise forbid. In boards.
_LONGEST: Final = 3


class GoPlayouts:
    """Chances by playing on at random."""

    def estimate(self, position: Position, partial: Turn, steps: tuple[int, ...], rng: Random) -> Estimate:
        """`after` is drawn towards `value`, because a few playouts say little about a single point."""
        seat, size = position.seat_to_move, position.size
        own, other = cells_with(position.stones, seat + 1), cells_with(position.stones, 2 - seat)
        won = 0.0
        held, held_won = [0] * (size * size), [0.0] * (size * size)
        for _ in range(_PLAYOUTS):
            mine, theirs = play_out(own, other, size, rng)
            result = score(mine, theirs, size)
            won += result
            for point in cells_of(mine):
                held[point] += 1
                held_won[point] += result
        value = won / _PLAYOUTS
        prior = (won + 0.5) / (_PLAYOUTS + 1)
        after = [(held_won[step] + 8 * prior) / (held[step] + 8) if step >= 0 else prior for step in steps]
        return Estimate(value, after, _PLAYOUTS)


def play_out(own: int, other: int, size: int, rng: Random) -> tuple[int, int]:
    """The stones of the side to move and of the other when both have passed."""
    board = geometry(size)
    points = cells_of(board.full & ~own & ~other)
    passes = turn = 0
    banned = -1
    limit = _LONGEST * size * size
    while passes < 2 and turn < limit:
        place, taken = _pick(points, own, other, banned, board, rng)
        banned = -1
        if place < 0:
            passes += 1
        else:
            passes = 0
            own |= 1 << points[place]
            points[place] = points[-1]
            points.pop()
            if taken:
                other &= ~taken
                freed = cells_of(taken)
                points += freed
                if len(freed) == 1:
                    banned = freed[0]
        own, other = other, own
        turn += 1
    return (other, own) if turn % 2 else (own, other)


def _pick(points: list[int], own: int, other: int, banned: int, board: Geometry, rng: Random) -> tuple[int, int]:
    """The place in `points` of a playable one, -1 without any, and the stones that it captures."""
    count = len(points)
    start = int(rng.random() * count)
    for index in range(start, start + count):
        place = index if index < count else index - count
        point = points[place]
        if point == banned or is_eye(point, own, other, board):
            continue
        taken = _taken_by(point, own, other, board)
        if taken or _has_liberty(point, own, other, board):
            return place, taken
    return -1, 0


def is_eye(point: int, own: int, other: int, board: Geometry) -> bool:
    """Whether filling the empty point would spoil an eye of one's own."""
    if board.orthogonal[point] & ~own:
        return False
    corners = board.diagonal[point]
    return (corners & other).bit_count() < (2 if corners.bit_count() == 4 else 1)


def _taken_by(point: int, own: int, other: int, board: Geometry) -> int:
    """The other's stones that a stone on the point would capture."""
    taken = 0
    open_after = board.full & ~(own | other | 1 << point)
    for near in cells_of(board.orthogonal[point] & other):
        if not board.orthogonal[near] & open_after and not taken >> near & 1:
            group = board.fill(1 << near, other)
            if not board.beside(group) & open_after:
                taken |= group
    return taken


def _has_liberty(point: int, own: int, other: int, board: Geometry) -> bool:
    """Whether one's own stone on the point, capturing nothing, has a liberty."""
    open_after = board.full & ~(own | other | 1 << point)
    if board.orthogonal[point] & open_after:
        return True
    return bool(board.beside(board.fill(1 << point, own | 1 << point)) & open_after)


def score(own: int, other: int, size: int) -> float:
    """1 when `own` has more stones on the outermost ring where the two differ, 0 when fewer, 0.5 when none differs."""
    for ring in _ring_masks(size):
        lead = (own & ring).bit_count() - (other & ring).bit_count()
        if lead:
            return float(lead > 0)
    return 0.5


@cache
def _ring_masks(size: int) -> tuple[int, ...]:
    return tuple(mask_of(ring) for ring in rings(size))
