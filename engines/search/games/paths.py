"""Shortest paths between goal sides, computed on sets of cells as integers with bit = cell index."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from engines.rules.bitboard import cells_of, cells_with, mask_of, side_masks
from engines.rules.grid import HEXAGONAL, ORTHOGONAL, Offsets

Beside = Callable[[int], int]


class Paths(NamedTuple):
    """The shortest paths between two sides.

    `length` is the number of stones still needed, 0 if the sides are joined. `tight[k]` are the empty cells that can be
    the (k+1)th of these stones, counted from the first side; `loose[k]` are the same for paths that use one stone more
    than necessary. If a seat is cut off, the length is greater than the number of cells and there are no cells.
    """

    length: int
    tight: tuple[int, ...]
    loose: tuple[int, ...]


def shortest_paths(stones: bytes, size: int, seat: int, *, hexagonal: bool) -> Paths:
    """Return the seat's shortest paths over its own stones (at no cost) and empty cells (one stone each)."""
    own, empty = cells_with(stones, seat + 1), cells_with(stones, 0)
    beside = _beside(size, HEXAGONAL if hexagonal else ORTHOGONAL)
    first, last = side_masks(size, seat)
    forward = _layers(first, own, empty, beside)
    backward = _layers(last, own, empty, beside)
    length = next((cost for cost, (_, reached) in enumerate(forward) if reached & last), size * size + 1)
    if length > size * size:
        return Paths(length, (), ())
    return Paths(length, _meeting(forward, backward, length + 1), _meeting(forward, backward, length + 2))


def distance(stones: bytes, size: int, seat: int, *, hexagonal: bool) -> int:
    """Return the length of the seat's shortest paths, without computing the paths."""
    own, empty = cells_with(stones, seat + 1), cells_with(stones, 0)
    beside = _beside(size, HEXAGONAL if hexagonal else ORTHOGONAL)
    first, last = side_masks(size, seat)
    reached = _fill(first & own, own, beside)
    length = 0
    while not reached & last:
        fresh = (beside(reached) | first) & empty & ~reached
        if not fresh:
            return size * size + 1
        length += 1
        grown = reached | fresh
        reached = grown | _fill(beside(fresh) & own & ~grown, own & ~reached, beside)
    return length


def shares(paths: Paths, size: int) -> list[float]:
    """Return for each cell how much the paths depend on it: 1 if all shortest paths need it, 0 if it is useless.

    Cells that can take the same place on a path share its value equally.
    """
    worth = [0.0] * (size * size)
    for places, factor in ((paths.tight, 1.0), (paths.loose, 0.3)):
        for place in places:
            cells = cells_of(place)
            for cell in cells:
                worth[cell] = max(worth[cell], factor / len(cells))
    return worth


def _layers(side: int, own: int, empty: int, beside: Beside) -> list[tuple[int, int]]:
    """Return for costs 0, 1, … the empty cells first reached at that cost, and all cells reached so far."""
    reached = _fill(side & own, own, beside)
    layers = [(0, reached)]
    while fresh := (beside(reached) | side) & empty & ~reached:
        grown = reached | fresh
        reached = grown | _fill(beside(fresh) & own & ~grown, own & ~reached, beside)
        layers.append((fresh, reached))
    return layers


def _fill(seeds: int, within: int, beside: Beside) -> int:
    while (wider := (seeds | beside(seeds)) & within) != seeds:
        seeds = wider
    return seeds


def _meeting(forward: list[tuple[int, int]], backward: list[tuple[int, int]], total: int) -> tuple[int, ...]:
    costs = range(max(1, total - len(backward) + 1), min(total, len(forward)))
    return tuple(place for cost in costs if (place := forward[cost][0] & backward[total - cost][0]))


@cache
def _beside(size: int, offsets: Offsets) -> Beside:
    """Return a function that maps a set of cells to the cells next to it."""
    full = (1 << size * size) - 1
    west_file = mask_of(tuple(range(0, size * size, size)))
    not_west, not_east = full & ~west_file, full & ~(west_file << size - 1)
    if offsets == ORTHOGONAL:
        return lambda mask: ((mask & not_east) << 1 | (mask & not_west) >> 1 | mask << size | mask >> size) & full
    return lambda mask: ((east := mask & not_east) << 1 | east << size + 1 | (west := mask & not_west) >> 1
                         | west >> size + 1 | mask << size | mask >> size) & full
