"""The evaluator for Scware, where all groups can grow in one turn."""

from functools import cache
from typing import Final

from engines.rules.bitboard import cells_of, cells_with, mask_of
from engines.rules.ruleset import Position
from engines.search.games.connection import ConnectionJudge

# The value of a turn in stones: in Scware, a lead is counted in turns.
_STONES_PER_TURN: Final = 4.0


class ScwareJudge(ConnectionJudge):
    """Evaluates by the number of turns that each side still needs."""

    def can_join(self, position: Position, stones: bytes) -> bool:
        """Return whether a single stone that would join the sides is a legal turn."""
        cells = cells_of(self.paths(stones, position.size, position.seat_to_move).tight[0])
        return any(position.is_legal((cell,)) for cell in cells)

    def lead(self, stones: bytes, size: int, seat: int, own: int, other: int) -> float:
        """Return the seat's lead in turns, converted to stones."""
        return _STONES_PER_TURN * (_turns(other, stones, size, 1 - seat) - _turns(own, stones, size, seat))


def _turns(length: int, stones: bytes, size: int, seat: int) -> float:
    """Estimate the number of turns that a path with `length` missing stones takes."""
    return min(length, 2 * size) / (_groups(cells_with(stones, seat + 1), size) + 1)


def _groups(own: int, size: int) -> int:
    """Return the number of groups of a side minus the number of holes in them, by Euler's formula for a grid."""
    east = _not_east(size)
    across, up = own & east & own >> 1, own & own >> size
    return own.bit_count() - across.bit_count() - up.bit_count() + (across & across >> size).bit_count()


@cache
def _not_east(size: int) -> int:
    return mask_of(tuple(cell for cell in range(size * size) if cell % size != size - 1))
