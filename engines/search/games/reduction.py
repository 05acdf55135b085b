"""Who has joined two sides on full boards, many boards at once and without looking for paths.

The boards are the lanes of one integer: cell c of all of them is the bits from `c * lanes` on, and a bit says
whether seat 0 has the cell. A full Hex board is a full board of Y in which two corners are filled, and in Y the
board of the majorities of all triangles of three neighbours, smaller by one, has the same winner (Craige
Schensted and Charles Titus, "Mudcrack Y and Poly-Y", 1975). Repeated, that leaves one cell: the winner.
"""

from functools import cache
from typing import Final

RISING: Final = True
FALLING: Final = False


class Reduction:
    """Finds winners on boards of `size` cells a side, whose cells are `lanes` bits wide.

    `everywhere` has bit 0 of every cell: multiplied by the bits of one cell, it puts them into all.
    """

    __slots__ = ("_inner", "_last_row", "everywhere", "lane", "lanes", "size")

    def __init__(self, size: int, lanes: int) -> None:
        self.size, self.lanes = size, lanes
        self.lane = (1 << lanes) - 1
        self.everywhere = sum(1 << cell * lanes for cell in range(size * size))
        board = self.everywhere * self.lane
        row = self.lane * sum(1 << column * lanes for column in range(size))
        west = self.lane * sum(1 << line * size * lanes for line in range(size))
        # What can arrive from the west does not arrive in the first file, and likewise from the east in the last.
        self._inner = {RISING: board & ~west, FALLING: board & ~(west << (size - 1) * lanes)}
        self._last_row = row << (size - 1) * size * lanes

    def joined(self, cells: int, *, diagonals: bool) -> int:
        """The lanes in which seat 0 joins south to north over orthogonal neighbours and the RISING or FALLING ones.

        A cell beyond the north side counts as seat 0's, one beyond the side where the triangles point as
        seat 1's. What lies outside the shrinking board of Y is nonsense that never flows back into it.
        """
        lanes, size, inner = self.lanes, self.size, self._inner[diagonals]
        up = size * lanes
        for level in range(1, 2 * size - 1):
            north = cells >> up
            if level < size:
                north |= self._last_row
            else:
                cells &= (1 << (2 * size - 1 - level) * up) - 1
            beside = (cells << lanes if diagonals else cells >> lanes) & inner
            cells = (cells & (north | beside)) | (north & beside)
        return cells >> (size - 1) * lanes & self.lane if diagonals else cells & self.lane


@cache
def reduction(size: int, lanes: int) -> Reduction:
    """The masks of a size, made once."""
    return Reduction(size, lanes)
