"""Sets of cells as bits of one integer, for rules that examine many cells at once.

Bit `cell` represents the cell with that index. Tables are computed once per size and cached.
"""

from collections.abc import Iterator
from functools import cache

from engines.rules.grid import DIAGONAL, neighbours, sides

_DIGITS = tuple(bytes.maketrans(b"\0\1\2", digits) for digits in (b"100", b"010", b"001"))


def cells_with(stones: bytes, value: int) -> int:
    """Return the cells whose byte in `stones` is `value` (0, 1 or 2)."""
    return int(stones[::-1].translate(_DIGITS[value]), 2)


def cells_of(mask: int) -> list[int]:
    """Return the indices of the cells in a set, in ascending order."""
    cells = []
    while mask:
        low = mask & -mask
        cells.append(low.bit_length() - 1)
        mask ^= low
    return cells


def mask_of(cells: tuple[int, ...]) -> int:
    """Return the set of these cells."""
    mask = 0
    for cell in cells:
        mask |= 1 << cell
    return mask


class Geometry:
    """Neighbourhoods on a board with `size` cells per side.

    `orthogonal` and `diagonal` hold the set of each cell's neighbours of that kind.
    """

    __slots__ = ("_east_files", "_west_files", "diagonal", "full", "orthogonal", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.full = (1 << size * size) - 1
        self.orthogonal = tuple(mask_of(near) for near in neighbours(size))
        self.diagonal = tuple(mask_of(near) for near in neighbours(size, DIAGONAL))
        row = (1 << size) - 1
        rows = self.full // row
        # All files except the westernmost, and all except the easternmost: the cells a step east or west can reach.
        self._east_files = self.full & ~rows
        self._west_files = self.full & ~(rows << size - 1)

    def beside(self, mask: int) -> int:
        """Return the cells orthogonally next to a cell of the set; they may be in the set themselves."""
        return ((mask << 1 & self._east_files) | (mask >> 1 & self._west_files)
                | mask << self.size | mask >> self.size) & self.full

    def around(self, mask: int) -> int:
        """Return the set plus every cell orthogonally or diagonally next to it."""
        wide = mask | (mask << 1 & self._east_files) | (mask >> 1 & self._west_files)
        return (wide | wide << self.size | wide >> self.size) & self.full

    def fill(self, seeds: int, within: int) -> int:
        """Return the cells of `within` connected to `seeds`, a subset of it, by an orthogonal path inside it."""
        while (wider := (seeds | self.beside(seeds)) & within) != seeds:
            seeds = wider
        return seeds

    def groups(self, mask: int) -> Iterator[int]:
        """Yield the orthogonally connected parts of a set."""
        while mask:
            group = self.fill(mask & -mask, mask)
            yield group
            mask ^= group


@cache
def geometry(size: int) -> Geometry:
    """Return the cached geometry of a board size."""
    return Geometry(size)


@cache
def side_masks(size: int, seat: int) -> tuple[int, int]:
    """Return the two sides that a seat must join."""
    first, last = sides(size, seat)
    return mask_of(tuple(first)), mask_of(tuple(last))
