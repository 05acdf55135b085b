"""Sets of cells as the bits of one integer, for rules that ask about many cells at once.

Bit `cell` stands for the cell of that index. Tables are made once for a size and kept.
"""

from collections.abc import Iterator
from functools import cache

from engines.rules.grid import DIAGONAL, neighbours, sides

_DIGITS = tuple(bytes.maketrans(b"\0\1\2", digits) for digits in (b"100", b"010", b"001"))


def cells_with(stones: bytes, value: int) -> int:
    """The cells whose byte in `stones` is `value` (0, 1 or 2)."""
    return int(stones[::-1].translate(_DIGITS[value]), 2)


def cells_of(mask: int) -> list[int]:
    """The indices of a set's cells, ascending."""
    cells = []
    while mask:
        low = mask & -mask
        cells.append(low.bit_length() - 1)
        mask ^= low
    return cells


def mask_of(cells: tuple[int, ...]) -> int:
    """The set of these cells."""
    mask = 0
    for cell in cells:
        mask |= 1 << cell
    return mask


class Geometry:
    """Neighbourhoods on a board of `size` cells a side.

    `orthogonal` and `diagonal` hold each cell's neighbours of that kind as a set.
    """

    __slots__ = ("_east_files", "_west_files", "diagonal", "full", "orthogonal", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.full = (1 << size * size) - 1
        self.orthogonal = tuple(mask_of(near) for near in neighbours(size))
        self.diagonal = tuple(mask_of(near) for near in neighbours(size, DIAGONAL))
        row = (1 << size) - 1
        rows = self.full // row
        # All files but the westernmost, and all but the easternmost: where a step east or west can arrive.
        self._east_files = self.full & ~rows
        self._west_files = self.full & ~(rows << size - 1)

    def beside(self, mask: int) -> int:
        """The cells orthogonally next to some cell of the set; they can be in the set themselves."""
        return ((mask << 1 & self._east_files) | (mask >> 1 & self._west_files)
                | mask << self.size | mask >> self.size) & self.full

    def around(self, mask: int) -> int:
        """The set and every cell orthogonally or diagonally next to it."""
        wide = mask | (mask << 1 & self._east_files) | (mask >> 1 & self._west_files)
        return (wide | wide << self.size | wide >> self.size) & self.full

    def fill(self, seeds: int, within: int) -> int:
        """The cells of `within` that an orthogonal path inside it joins to `seeds`, a part of it."""
        while (wider := (seeds | self.beside(seeds)) & within) != seeds:
            seeds = wider
        return seeds

    def groups(self, mask: int) -> Iterator[int]:
        """The orthogonally connected parts of a set."""
        while mask:
            group = self.fill(mask & -mask, mask)
            yield group
            mask ^= group


@cache
def geometry(size: int) -> Geometry:
    """The geometry of a size, made once."""
    return Geometry(size)


@cache
def side_masks(size: int, seat: int) -> tuple[int, int]:
    """The two sides that a seat joins."""
    first, last = sides(size, seat)
    return mask_of(tuple(first)), mask_of(tuple(last))
