"""Shortest paths between goal sides, computed on sets of cells as integers with bit = cell index."""

from typing import NamedTuple

from engines.native import available, module
from engines.rules.bitboard import cells_of, cells_with, side_masks
from engines.rules.distance import Beside, beside, fill
from engines.rules.distance import distance as stones_needed
from engines.rules.grid import HEXAGONAL, ORTHOGONAL


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
    step = beside(size, HEXAGONAL if hexagonal else ORTHOGONAL)
    first, last = side_masks(size, seat)
    forward = _layers(first, own, empty, step)
    backward = _layers(last, own, empty, step)
    length = next((cost for cost, (_, reached) in enumerate(forward) if reached & last), size * size + 1)
    if length > size * size:
        return Paths(length, (), ())
    return Paths(length, _meeting(forward, backward, length + 1), _meeting(forward, backward, length + 2))


def distance(stones: bytes, size: int, seat: int, *, hexagonal: bool) -> int:
    """Return the length of the seat's shortest paths, without computing the paths."""
    if available():
        length: int = module().distance(stones, size, seat, hexagonal)
        return length
    found = stones_needed(stones, size, seat, HEXAGONAL if hexagonal else ORTHOGONAL)
    return size * size + 1 if found is None else found


def shares(stones: bytes, size: int, seat: int, *, hexagonal: bool) -> list[float]:
    """Return for each cell how much the seat's paths depend on it: 1 if all shortest paths need it, 0 if it is useless.

    Cells that can take the same place on a path share its value equally.
    """
    if available():
        values: list[float] = module().shares(stones, size, seat, hexagonal)
        return values
    paths = shortest_paths(stones, size, seat, hexagonal=hexagonal)
    worth = [0.0] * (size * size)
    for places, factor in ((paths.tight, 1.0), (paths.loose, 0.3)):
        for place in places:
            cells = cells_of(place)
            for cell in cells:
                worth[cell] = max(worth[cell], factor / len(cells))
    return worth


def _layers(side: int, own: int, empty: int, step: Beside) -> list[tuple[int, int]]:
    """Return for costs 0, 1, … the empty cells first reached at that cost, and all cells reached so far."""
    reached = fill(side & own, own, step)
    layers = [(0, reached)]
    while fresh := (step(reached) | side) & empty & ~reached:
        grown = reached | fresh
        reached = grown | fill(step(fresh) & own & ~grown, own & ~reached, step)
        layers.append((fresh, reached))
    return layers


def _meeting(forward: list[tuple[int, int]], backward: list[tuple[int, int]], total: int) -> tuple[int, ...]:
    costs = range(max(1, total - len(backward) + 1), min(total, len(forward)))
    return tuple(place for cost in costs if (place := forward[cost][0] & backward[total - cost][0]))
