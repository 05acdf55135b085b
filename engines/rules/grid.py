"""Square-board geometry, shared by the rulesets: neighbours, paths between sides, groups.

Tables are computed once per size and cached; cells are indices as in `engines.rules.notation`.
"""

from collections.abc import Iterable
from functools import cache, lru_cache

from engines.rules.outcome import Ending, Outcome

ORTHOGONAL = ((1, 0), (0, 1), (-1, 0), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
# The six neighbours of Hex on a square grid: the orthogonal ones, north-east and south-west.
HEXAGONAL = (*ORTHOGONAL, (1, 1), (-1, -1))

Offsets = tuple[tuple[int, int], ...]
Table = tuple[tuple[int, ...], ...]


@cache
def neighbours(size: int, offsets: Offsets = ORTHOGONAL) -> Table:
    """Return for each cell the cells at these (row, column) offsets that are on the board."""
    return tuple(
        tuple((row + dr) * size + column + dc for dr, dc in offsets
              if 0 <= row + dr < size and 0 <= column + dc < size)
        for row in range(size) for column in range(size)
    )


@cache
def sides(size: int, seat: int) -> tuple[frozenset[int], frozenset[int]]:
    """Return the two sides that a seat must join: north and south for seat 0, west and east for seat 1."""
    line = range(size)
    if seat == 0:
        return frozenset((size - 1) * size + i for i in line), frozenset(line)
    return frozenset(i * size for i in line), frozenset(i * size + size - 1 for i in line)


def joining_path(stones: bytes, size: int, seat: int, table: Table) -> tuple[int, ...]:
    """Return a shortest path of the seat's stones between its two sides, in order, or () if there is no path."""
    first, last = sides(size, seat)
    stone = seat + 1
    came_from: dict[int, int] = {cell: -1 for cell in sorted(first) if stones[cell] == stone}
    queue = list(came_from)
    for cell in queue:
        if cell in last:
            path = [cell]
            while (cell := came_from[cell]) >= 0:
                path.append(cell)
            return tuple(reversed(path))
        for near in table[cell]:
            if stones[near] == stone and near not in came_from:
                came_from[near] = cell
                queue.append(near)
    return ()


def connection(stones: bytes, size: int, table: Table) -> Outcome | None:
    """Return the outcome of a connection game if a seat has joined its sides."""
    paths = ((seat, joining_path(stones, size, seat, table)) for seat in (0, 1))
    return next((Outcome(seat, Ending.CONNECTION, path) for seat, path in paths if path), None)


def group_of(stones: bytes | bytearray, cell: int, table: Table) -> set[int]:
    """Return the connected stones of one colour that include `cell`, which must not be empty."""
    stone, group, stack = stones[cell], {cell}, [cell]
    while stack:
        for near in table[stack.pop()]:
            if stones[near] == stone and near not in group:
                group.add(near)
                stack.append(near)
    return group


@lru_cache(maxsize=256)
def groups(stones: bytes, size: int, offsets: Offsets) -> tuple[int, ...]:
    """Return for each cell the first cell of the group that its stone is in, or -1 for an empty cell."""
    table, first = neighbours(size, offsets), [-1] * len(stones)
    for cell, stone in enumerate(stones):
        if stone and first[cell] < 0:
            for member in group_of(stones, cell, table):
                first[member] = cell
    return tuple(first)


def joins_sides(stones: bytes, size: int, seat: int, table: Table, through: Iterable[int]) -> bool:
    """Return whether a group with one of the stones in `through` touches both of the seat's sides."""
    first, last = sides(size, seat)
    for cell in through:
        group = group_of(stones, cell, table)
        if not group.isdisjoint(first) and not group.isdisjoint(last):
            return True
    return False
