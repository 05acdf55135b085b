"""The judge of Scware, where every group grows at once."""

from functools import cache
from typing import Final

from engines.rules.bitboard import cells_of, cells_with, mask_of
from engines.rules.ruleset import Position
from engines.search.games.connection import ConnectionJudge

# Turns count and not stones: how many stones a turn is worth.
_STONES_PER_TURN: Final = 4.0


class ScwareJudge(ConnectionJudge):
    """Judges by the number of turns that either side still needs."""

    def can_join(self, position: Position, stones: bytes) -> bool:
        """Whether one of the cells where the stone would join the sides may be a turn by itself."""
        cells = cells_of(self.paths(stones, position.size, position.seat_to_move).tight[0])
        return any(position.is_legal((cell,)) for cell in cells)

    def lead(self, stones: bytes, size: int, seat: int, own: int, other: int) -> float:
        """How many turns the seat is ahead, in stones."""
        return _STONES_PER_TURN * (_turns(other, stones, size, 1 - seat) - _turns(own, stones, size, seat))


def _turns(length: int, stones: bytes, size: int, seat: int) -> float:
    """About how many turns of Scware a path takes of which `length` stones are missing."""
    return min(length, 2 * size) / (_groups(cells_with(stones, seat + 1), size) + 1)


def _groups(own: int, size: int) -> int:
    """The groups of a side, less the holes in them, by Euler's formula for a plane of cells."""
    east = _not_east(size)
    across, up = own & east & own >> 1, own & own >> size
    return own.bit_count() - across.bit_count() - up.bit_count() + (across & across >> size).bit_count()


@cache
def _not_east(size: int) -> int:
    return mask_of(tuple(cell for cell in range(size * size) if cell % size != size - 1))
