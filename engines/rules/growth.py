"""Turns that grow groups, one stone each, under the restriction that no diagonal neighbours stay apart.

This is the part of Scware that takes thought: judging such turns, building them stone by stone without
dead ends, and listing them, without going through all sets of stones.
"""

from collections.abc import Iterator
from functools import lru_cache

from engines.rules.bitboard import cells_of, cells_with, geometry, mask_of
from engines.rules.notation import Turn

# One group that a turn has grown: its stones with those it took in and the new ones; the mover's stones that
# must be among them when the turn ends, being diagonal to a new stone; the cells next to a new stone.
# All three are sets of cells (bits).
_Group = tuple[int, int, int]
# The growing stones of one turn, as the groups that they make.
Growing = tuple[_Group, ...]


class Survey:
    """What the mover can do where, in one position: what every question about turns starts from.

    `starting`: the empty cells with none of the mover's stones around them, not even diagonally.
    `growing`: the empty cells next to one of the mover's groups. For each of these, `touched` has the
    stones of the groups next to it, and `rivals` the empty cells next to any of those groups, itself
    among them: no two rivals can be in one turn.
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
        """The turn with one more growing stone, which must be no rival of those in it."""
        bit, near, corners = 1 << cell, self.geometry.orthogonal[cell], self.geometry.diagonal[cell]
        group, needs, edge = self.touched[cell] | bit, self.own & corners, near
        others = []
        for other in turn:
            # The stone touches none of the other's old groups, so what it touches there is a new stone.
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
        """The turn of these growing stones, none of them rivals, and the cells still free to grow at."""
        turn: Growing = ()
        free = self.growing
        for cell in stones:
            turn = self.add(turn, cell)
            free &= ~self.rivals[cell]
        return turn, free

    def can_finish(self, turn: Growing, free: int) -> bool:
        """Whether some more stones, on cells of `free`, or none, make the turn keep the restriction.

        Each old group is grown once. So a group that must still take in a stone can reach it only by a
        new stone beside one of its new stones, and that stone must grow a group of its own.
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
        """Every legal growth once that adds to these stones only cells of `free`."""
        if stones and keeps_restriction(turn):
            yield stones
        for cell in cells_of(free):
            free &= ~(1 << cell)
            longer, rest = self.add(turn, cell), free & ~self.rivals[cell]
            if self.can_finish(longer, rest):
                yield from self.growths((*stones, cell), longer, rest)

    def starting_after(self, stones: Turn) -> int:
        """Where a group can be started after these growing stones."""
        return self.starting & ~self.geometry.around(mask_of(stones))


def keeps_restriction(turn: Growing) -> bool:
    """Whether every stone diagonal to a new one is in its group."""
    return all(not needs & ~group for group, needs, _ in turn)


# Building one turn stone by stone asks about the same position again and again.
survey_of = lru_cache(maxsize=256)(Survey)
