"""Finds the winners of full boards, many boards at once and without searching for paths.

The boards are the lanes of one integer: cell c of all boards has the bits from `c * lanes` on, and a bit is set if seat
0 has the cell. A full Hex board corresponds to a full board of the game Y with two filled corners. In Y, the board that
is smaller by one and consists of the majorities of all triangles of three neighbours has the same winner (Craige
Schensted and Charles Titus, "Mudcrack Y and Poly-Y", 1975). Repeating this step leaves one cell: the winner.
"""

from functools import cache
from typing import Final

RISING: Final = True
FALLING: Final = False


class Reduction:
    """Finds winners on boards with `size` cells per side and `lanes` bits per cell.

    `everywhere` has bit 0 of every cell: multiplying it by the bits of one cell copies them to all cells.
    """

    __slots__ = ("_inner", "_last_row", "everywhere", "lane", "lanes", "size")

    def __init__(self, size: int, lanes: int) -> None:
        self.size, self.lanes = size, lanes
        self.lane = (1 << lanes) - 1
        self.everywhere = sum(1 << cell * lanes for cell in range(size * size))
        board = self.everywhere * self.lane
        row = self.lane * sum(1 << column * lanes for column in range(size))
        west = self.lane * sum(1 << line * size * lanes for line in range(size))
        # A shift from the west cannot arrive in the first file, nor a shift from the east in the last file.
        self._inner = {RISING: board & ~west, FALLING: board & ~(west << (size - 1) * lanes)}
        self._last_row = row << (size - 1) * size * lanes

    def joined(self, cells: int, *, diagonals: bool) -> int:
        """Return the lanes in which seat 0 joins south and north via orthogonal and RISING or FALLING neighbours.

        A cell beyond the north side counts as seat 0's, and a cell beyond the side to which the triangles point counts
        as seat 1's. Bits outside the shrinking board of Y are meaningless, but never affect the bits inside it.
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
    """Return the cached masks of a board size."""
    return Reduction(size, lanes)
