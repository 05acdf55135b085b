"""Scware turns that grow groups by one stone each, where diagonal neighbours must end up in the same group.

This module checks such turns, builds them stone by stone without dead ends, and lists them without going through all
sets of stones.
"""

from collections.abc import Iterator
from functools import lru_cache

from engines.rules.bitboard import cells_of, cells_with, geometry, mask_of
from engines.rules.notation import Turn

# One group that a turn has grown, as three sets of cells (bits): its stones, including the new ones and the groups
# that it has joined; the player's stones that must be in it when the turn ends, because they are diagonal to a new
# stone; and the cells next to a new stone.
_Group = tuple[int, int, int]
# The growing stones of one turn, as the resulting groups.
Growing = tuple[_Group, ...]


class Survey:
    """The options of the player to move in one position.

    `starting`: the empty cells without own stones around them, orthogonally or diagonally. `growing`: the empty cells
    next to one of the player's groups. For each growing cell, `touched` has the stones of the groups next to it, and
    `rivals` the empty cells next to any of those groups, including the cell itself: a turn can have at most one stone
    on a set of rivals.
    """

    __slots__ = ("geometry", "growing", "own", "rivals", "starting", "touched")

    def __init__(self, stones: bytes, size: int, seat: int) -> None:
        self.geometry = geometry(size)
        self.own = cells_with(stones, seat + 1)
        empty = cells_with(stones, 0)
        self.starting = empty & ~self.geometry.around(self.own)
        self.growing = 0
        self.touched: dict[int, int] = {}
        self.rivals: dict[int, int] = {}
        for group in self.geometry.groups(self.own):
            beside = self.geometry.beside(group) & empty
            self.growing |= beside
            for cell in cells_of(beside):
                self.touched[cell] = self.touched.get(cell, 0) | group
                self.rivals[cell] = self.rivals.get(cell, 0) | beside

    def add(self, turn: Growing, cell: int) -> Growing:
        """Return the turn with one more growing stone, which must not be a rival of its stones."""
        bit, near, corners = 1 << cell, self.geometry.orthogonal[cell], self.geometry.diagonal[cell]
        group, needs, edge = self.touched[cell] | bit, self.own & corners, near
        others = []
        for other in turn:
            # The stone touches none of the old groups in `other`, so it can only touch a new stone there.
            if other[0] & near:
                group |= other[0]
                needs |= other[1]
                edge |= other[2]
            elif meeting := other[0] & corners:
                needs |= meeting
                others.append((other[0], other[1] | bit, other[2]))
            else:
                others.append(other)
        return ((group, needs, edge), *others)

    def build(self, stones: Turn) -> tuple[Growing, int]:
        """Return the turn with these growing stones, which must not be rivals, and the cells still free for growth."""
        turn: Growing = ()
        free = self.growing
        for cell in stones:
            turn = self.add(turn, cell)
            free &= ~self.rivals[cell]
        return turn, free

    def can_finish(self, turn: Growing, free: int) -> bool:
        """Return whether the turn can satisfy the restriction, with or without more stones on cells of `free`.

        Each old group grows once. A group that still has to include another stone can therefore reach it only by a
        new stone next to one of its new stones, and that stone must grow a group of its own.
        """
        options = -1
        for group, needs, edge in turn:
            if needs & ~group:
                ways = edge & free
                if options < 0 or ways.bit_count() < options.bit_count():
                    options = ways
        if options < 0:
            return True
        for cell in cells_of(options):
            free &= ~(1 << cell)
            if self.can_finish(self.add(turn, cell), free & ~self.rivals[cell]):
                return True
        return False

    def growths(self, stones: Turn, turn: Growing, free: int) -> Iterator[Turn]:
        """Yield once every legal growth that consists of these stones and further cells of `free`."""
        if stones and keeps_restriction(turn):
            yield stones
        for cell in cells_of(free):
            free &= ~(1 << cell)
            longer, rest = self.add(turn, cell), free & ~self.rivals[cell]
            if self.can_finish(longer, rest):
                yield from self.growths((*stones, cell), longer, rest)

    def starting_after(self, stones: Turn) -> int:
        """Return the cells where a group can be started after these growing stones."""
        return self.starting & ~self.geometry.around(mask_of(stones))


def keeps_restriction(turn: Growing) -> bool:
    """Return whether every stone diagonal to a new stone is in the same group."""
    return all(not needs & ~group for group, needs, _ in turn)


# Building a turn stone by stone needs the survey of the same position many times.
survey_of = lru_cache(maxsize=256)(Survey)
