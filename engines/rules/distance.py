"""The number of stones that a seat still needs to join its sides, computed on sets of cells (bit = cell index)."""

from collections.abc import Callable
from functools import cache

from engines.rules.bitboard import cells_with, mask_of, side_masks
from engines.rules.grid import HEXAGONAL, ORTHOGONAL, Offsets
from engines.rules.outcome import Measure

Beside = Callable[[int], int]


def connection_measure(stones: bytes, size: int, offsets: Offsets = ORTHOGONAL, *, crosscuts: bool = False) -> Measure:
    """Return the stones that each seat still needs; the seat that needs fewer leads. See `distance`."""
    first, second = (distance(stones, size, seat, offsets, crosscuts=crosscuts) for seat in (0, 1))
    leader = None if first == second else int(first is None or (second is not None and second < first))
    return Measure(((first, second),), leader)


def distance(stones: bytes, size: int, seat: int, offsets: Offsets = ORTHOGONAL, *,
             crosscuts: bool = False) -> int | None:
    """Return the fewest stones on empty cells with which the seat joins its sides: 0 if joined, None if cut off.

    The opponent plays nothing in the meantime, and other restrictions on turns are ignored. With `crosscuts`, a path
    may also step diagonally between two enemy stones: a crosscut removes them, and a stone on one of their cells joins
    the two ends, so the step costs one stone more.
    """
    own, empty = cells_with(stones, seat + 1), cells_with(stones, 0)
    step = beside(size, offsets)
    across = _between(size, cells_with(stones, 2 - seat)) if crosscuts else None
    first, last = side_masks(size, seat)
    before, reached = 0, fill(first & own, own, step)
    length = 0
    while not reached & last:
        fresh = (step(reached) | first) & empty
        if across:
            fresh |= across(reached) & own | across(before) & empty
        # With crosscuts, a cell may be two stones away although none is one stone away.
        if not (fresh := fresh & ~reached) and before == reached:
            return None
        length += 1
        grown = reached | fresh
        before, reached = reached, grown | fill(step(fresh) & own & ~grown, own & ~reached, step)
    return length


def fill(seeds: int, within: int, step: Beside) -> int:
    """Return the cells of `within` that are connected to `seeds`, a subset of it."""
    while (wider := (seeds | step(seeds)) & within) != seeds:
        seeds = wider
    return seeds


@cache
def beside(size: int, offsets: Offsets) -> Beside:
    """Return a function that maps a set of cells to the cells next to it; `offsets` are orthogonal or hexagonal."""
    full, not_west, not_east = _files(size)
    if offsets != HEXAGONAL:
        return lambda mask: ((mask & not_east) << 1 | (mask & not_west) >> 1 | mask << size | mask >> size) & full
    return lambda mask: ((east := mask & not_east) << 1 | east << size + 1 | (west := mask & not_west) >> 1
                         | west >> size + 1 | mask << size | mask >> size) & full


def _between(size: int, enemy: int) -> Beside:
    """Return a function that maps a set of cells to those reached by a diagonal step between two enemy stones."""
    _, not_west, not_east = _files(size)
    east, west, north, south = enemy >> 1 & not_east, enemy << 1 & not_west, enemy >> size, enemy << size
    return lambda mask: ((mask & east & north) << size + 1 | (mask & west & south) >> size + 1
                         | (mask & west & north) << size - 1 | (mask & east & south) >> size - 1)


@cache
def _files(size: int) -> tuple[int, int, int]:
    """Return all cells, those that are not in the westernmost file, and those that are not in the easternmost."""
    full = (1 << size * size) - 1
    west_file = mask_of(tuple(range(0, size * size, size)))
    return full, full & ~west_file, full & ~(west_file << size - 1)
