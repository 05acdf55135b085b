"""Pairs of empty cells that keep two stones, or a stone and a goal side, connected.

If the opponent takes one cell, the owner answers on the other. In Hex, these are bridges and second-row edge templates.
"""

from functools import cache

from engines.rules.bitboard import cells_with, mask_of
from engines.rules.grid import sides

# The seat, or -1 for both; the possible cells of the first stone; the way from it to the second stone, or 0 for a goal
# side; the ways to the two empty cells. A way is a difference of cell indices.
_Pattern = tuple[int, int, int, int, int]
_Way = tuple[int, int]

# (row, column) offsets from one stone to the other, and to the two cells between them.
_BRIDGES: tuple[tuple[_Way, _Way, _Way], ...] = (
    ((1, 2), (0, 1), (1, 1)), ((2, 1), (1, 1), (1, 0)), ((1, -1), (1, 0), (0, -1)))
_CORNERS: tuple[tuple[_Way, _Way, _Way], ...] = (
    ((1, 1), (0, 1), (1, 0)), ((1, -1), (0, -1), (1, 0)))
# Hex: offsets from a stone in the second row to two neighbours on the edge, for each seat's first and last side.
_HOLDS: tuple[tuple[_Way, _Way], ...] = (((1, 0), (1, 1)), ((-1, 0), (-1, -1)), ((0, -1), (-1, -1)), ((0, 1), (1, 1)))


def pairs_on(stones: bytes, size: int, *, hexagonal: bool) -> list[tuple[int, int]]:
    """Return the pairs of both seats on a board. Pairs do not overlap: of overlapping pairs, only one is returned."""
    empty = cells_with(stones, 0)
    own = (cells_with(stones, 1), cells_with(stones, 2))
    pairs = []
    for seat, first, second, one, other in _patterns(size, hexagonal=hexagonal):
        free = first & _moved(empty, -one) & _moved(empty, -other)
        if not free:
            continue
        found = free & (own[seat] if seat >= 0 else own[0] & own[0] >> second | own[1] & own[1] >> second)
        while found:
            low = found & -found
            found ^= low
            cell = low.bit_length() - 1
            both = 1 << cell + one | 1 << cell + other
            if not both & ~empty:
                empty ^= both
                pairs.append((cell + one, cell + other))
    return pairs


def _moved(cells: int, way: int) -> int:
    return cells << way if way >= 0 else cells >> -way


@cache
def _patterns(size: int, *, hexagonal: bool) -> tuple[_Pattern, ...]:
    between = _BRIDGES if hexagonal else _CORNERS
    patterns = []
    for ways in between:
        second, one, other = (row * size + column for row, column in ways)
        patterns.append((-1, _where(size, ways), second, one, other))
    if hexagonal:
        for number, hold in enumerate(_HOLDS):
            seat = number // 2
            edge = sides(size, seat)[number % 2]
            at_edge = mask_of(tuple(cell for cell in range(size * size)
                                    if all(_shifted(cell, way, size) in edge for way in hold)))
            one, other = (row * size + column for row, column in hold)
            patterns.append((seat, at_edge, 0, one, other))
    return tuple(patterns)


def _where(size: int, ways: tuple[_Way, ...]) -> int:
    """Return the cells from which all the ways stay on the board."""
    return mask_of(tuple(cell for cell in range(size * size) if all(_shifted(cell, way, size) >= 0 for way in ways)))


def _shifted(cell: int, way: _Way, size: int) -> int:
    """Return the cell at the end of a way, or -1 if it is off the board."""
    row, column = cell // size + way[0], cell % size + way[1]
    return row * size + column if 0 <= row < size and 0 <= column < size else -1
