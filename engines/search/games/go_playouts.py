"""Light Go playouts for SquareSquared: random stones, but not in own eyes, until neither side can play.

Playouts in Python only forbid immediate recapture, those in the native engine every repeated board.
"""

from functools import cache
from random import Random
from typing import ClassVar, Final

from engines.native import knows
from engines.rules.bitboard import Geometry, cells_of, cells_with, geometry, mask_of
from engines.rules.games.squaresquared import rings
from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.playouts import LONGEST, PlayoutSample, native_sample

# Playouts per estimate; the visits of the tree provide more.
_PLAYOUTS: Final = 4


class GoPlayouts:
    """Estimates chances by random playouts."""

    anchors: ClassVar[tuple[int, int, int]] = (20, 60, 180)

    def sample(self, position: Position, partial: Turn, rng: Random) -> PlayoutSample:
        if knows(position.slug):
            return native_sample(position, partial, rng, _PLAYOUTS)
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
        return PlayoutSample(won / _PLAYOUTS, _PLAYOUTS, held, held_won)


def play_out(own: int, other: int, size: int, rng: Random) -> tuple[int, int]:
    """Play at random until both sides pass. Return the final stones of the side to move and of the other side."""
    board = geometry(size)
    game = _Game(board, own, other)
    points = cells_of(board.full & ~own & ~other)
    passes = turn = 0
    limit = LONGEST * size * size
    random = rng.random
    while passes < 2 and turn < limit:
        count = len(points)
        start = int(random() * count)
        passes += 1
        for index in range(start, start + count):
            place = index if index < count else index - count
            freed = game.play(points[place])
            if freed is not None:
                points[place] = points[-1]
                points.pop()
                if freed:
                    points += cells_of(freed)
                passes = 0
                break
        else:
            game.let_pass()
        turn += 1
    return (game.other, game.own) if turn % 2 else (game.own, game.other)


class _Game:
    """A mutable position: the stones of the side to move and of the other side, and the groups of both.

    `_groups` maps each stone to its group, a list shared by all its stones: the stones and the liberties.
    """

    __slots__ = ("_banned", "_board", "_groups", "other", "own")

    def __init__(self, board: Geometry, own: int, other: int) -> None:
        self._board = board
        self.own, self.other = own, other
        self._banned = -1
        self._groups: dict[int, list[int]] = {}
        taken = own | other
        for stones in (own, other):
            for group in board.groups(stones):
                entry = [group, board.beside(group) & ~taken]
                for stone in cells_of(group):
                    self._groups[1 << stone] = entry

    def let_pass(self) -> None:
        """Give the turn to the other side."""
        self.own, self.other = self.other, self.own
        self._banned = -1

    def play(self, point: int) -> int | None:
        """Place a stone on an empty point. Return the captured stones, or None for an eye, suicide or a ban."""
        board, own, other, groups = self._board, self.own, self.other, self._groups
        near, bit = board.orthogonal[point], 1 << point
        if not near & ~own:
            corners = board.diagonal[point]
            if (corners & other).bit_count() < (2 if corners.bit_count() == 4 else 1):
                return None
        if point == self._banned:
            return None
        taken = 0
        liberties = near & ~own & ~other
        beside = near & other
        while beside:
            low = beside & -beside
            beside ^= low
            group = groups[low]
            if group[1] == bit:
                taken |= group[0]
        stones = bit
        joined = []
        beside = near & own
        while beside:
            low = beside & -beside
            group = groups[low]
            beside &= ~group[0]
            joined.append(group)
            stones |= group[0]
            liberties |= group[1]
        liberties &= ~bit
        if not liberties and not taken:
            return None
        self._place(bit, stones, liberties, joined, near)
        if taken:
            self._capture(taken)
        self._banned = taken.bit_length() - 1 if taken and not taken & taken - 1 else -1
        self.own, self.other = self.other, self.own
        return taken

    def _place(self, bit: int, stones: int, liberties: int, joined: list[list[int]], near: int) -> None:
        groups = self._groups
        beside = near & self.other
        while beside:
            low = beside & -beside
            beside ^= low
            groups[low][1] &= ~bit
        self.own |= bit
        if not joined:
            groups[bit] = [stones, liberties]
            return
        # Merge into the largest group, so that few stones change their group.
        first = max(joined, key=_stones_of) if len(joined) > 1 else joined[0]
        for group in joined:
            if group is not first:
                rest = group[0]
                while rest:
                    low = rest & -rest
                    rest ^= low
                    groups[low] = first
        groups[bit] = first
        first[0], first[1] = stones, liberties

    def _capture(self, taken: int) -> None:
        """Remove the opponent's stones from the board."""
        board, groups = self._board, self._groups
        self.other &= ~taken
        beside = board.beside(taken) & self.own
        while beside:
            low = beside & -beside
            group = groups[low]
            beside &= ~group[0]
            group[1] |= board.beside(group[0]) & taken


def _stones_of(group: list[int]) -> int:
    return group[0].bit_count()


def score(own: int, other: int, size: int) -> float:
    """Return 1 if `own` has more stones on the outermost ring that differs, 0 if fewer, 0.5 if no ring differs."""
    for ring in _ring_masks(size):
        lead = (own & ring).bit_count() - (other & ring).bit_count()
        if lead:
            return float(lead > 0)
    return 0.5


@cache
def _ring_masks(size: int) -> tuple[int, ...]:
    return tuple(mask_of(ring) for ring in rings(size))
