"""The judge of the games in which a side joins its goal sides."""

from functools import cache
from math import exp
from typing import Final

from engines.rules.bitboard import cells_of, cells_with, mask_of
from engines.rules.notation import SWAP, Turn
from engines.rules.ruleset import Position
from engines.search.judge import StaticEvaluation, stones_with
from engines.search.paths import Paths, distance, shares, shortest_paths

# A word is always worth a look; nothing on the board is worth more than twice 1.
_WORD: Final = 3.0
# Among equal distances, many ways to go are better than few. Small against a whole stone.
_PER_WAY: Final = 0.5
# What the turn is worth, in stones, and how many stones ahead make e : 1 of the chances.
_TURN: Final = 0.5
_STONES_TO_E: Final = 1.5
# In Scware every group grows at once, so that turns count and not stones: how many stones a turn is worth.
_STONES_PER_TURN: Final = 4.0


class ConnectionJudge:
    """Judges by the number of stones that either side still needs, were the other to do nothing."""

    def __init__(self, *, hexagonal: bool) -> None:
        self._hexagonal = hexagonal

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        """A cell is worth what the shortest paths of both sides hang on it."""
        stones, size = bytes(stones_with(position, partial)), position.size
        ours, theirs = (shares(self._paths(stones, size, seat), size) for seat in (0, 1))
        nearness = _nearness(size)
        return [_WORD if step < 0 else ours[step] + theirs[step] + nearness[step] for step in steps]

    def glance(self, position: Position, partial: Turn) -> StaticEvaluation:
        """The chance by the difference of the distances; a win where one legal stone joins the sides."""
        stones, size, seat = bytes(stones_with(position, partial)), position.size, position.seat_to_move
        own, other = (distance(stones, size, who, hexagonal=self._hexagonal) for who in (seat, 1 - seat))
        if own == 1 and not partial:
            cells = cells_of(self._paths(stones, size, seat).tight[0])
            if position.slug != "scware" or any(position.is_legal((cell,)) for cell in cells):
                return StaticEvaluation(1.0, wins=True)
        if position.slug == "scware":
            lead = _STONES_PER_TURN * (_turns(other, stones, size, 1 - seat) - _turns(own, stones, size, seat))
        else:
            lead = max(-size, min(size, other - own))
        lead += _TURN
        return StaticEvaluation(1 / (1 + exp(-lead / _STONES_TO_E)))

    def rate(self, position: Position, seat: int) -> float:
        """The difference of the two distances; where the other may swap, a lead is no good."""
        own, other = (self._paths(position.stones, position.size, who) for who in (seat, 1 - seat))
        lead = other.length - own.length + _PER_WAY * (_breadth(own) - _breadth(other))
        return -abs(lead) if SWAP in position.steps().next[:1] else lead

    def _paths(self, stones: bytes, size: int, seat: int) -> Paths:
        return shortest_paths(stones, size, seat, hexagonal=self._hexagonal)


@cache
def _nearness(size: int) -> tuple[float, ...]:
    """For each cell, 0.01 at the centre of the board, near 0 in a corner: among equals, the inner ones first."""
    middle = (size - 1) / 2
    return tuple(0.01 * (1 - (abs(row - middle) + abs(column - middle)) / (2 * size))
                 for row in range(size) for column in range(size))


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


def _breadth(paths: Paths) -> float:
    """0 for a path with a single way at its narrowest place, towards 1 for a broad one."""
    return 1 - 1 / min((place.bit_count() for place in paths.tight), default=1)
