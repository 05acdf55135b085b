"""Random fillings for connection games.

In games that end on a full board, or could be played on until it is full, a playout is a random filling: only the final
colours matter. `LANES` fillings are made at once: see `engines.search.games.reduction`.
"""

from random import Random
from struct import unpack
from typing import ClassVar, Final

from engines.native import available, module
from engines.rules.notation import SWAP, Turn
from engines.rules.ruleset import Position
from engines.search.estimate import ANCHORS
from engines.search.games.pairs import pairs_on
from engines.search.games.reduction import FALLING, RISING, reduction

LANES: Final = 256
_BYTES: Final = LANES // 8
_WORDS: Final = LANES // 64
_NONE, _EACH = bytes(_BYTES), b"\xff" * _BYTES
# Indexed by the stone on a cell: whether a filling chooses its colour, and whether it is already seat 0's.
_OPEN: Final = (_EACH, _NONE, _NONE)
_TAKEN: Final = (_NONE, _EACH, _NONE)
_OTHER: Final = bytes(range(255, -1, -1))


class PathSample:
    """Fillings of one position, stored as one integer: cell c has the bits from `c * LANES` on."""

    __slots__ = ("_cells", "_size", "_won", "value")

    def __init__(self, cells: int, won: int, size: int) -> None:
        self._cells, self._won, self._size = cells, won, size
        self.value = won.bit_count() / LANES

    @property
    def playouts(self) -> int:
        return LANES

    def after(self, steps: tuple[int, ...]) -> list[float]:
        """Return the chance after each step: for a word, `value`; for a swap, the value for the other seat."""
        held, held_won = _held(self._cells, self._won, self._size)
        value = self.value
        return [(held_won[step] + value) / (held[step] + 1) if step >= 0 else 1 - value if step == SWAP else value
                for step in steps]


class PathFills:
    """Estimates chances by random fillings in which each pair of cells that connects two stones is split evenly.

    Full boards of Scware and OOSCG-W have no crosscuts, but random fillings do. Therefore all rising diagonals connect
    in half of the fillings, and all falling ones in the other half: either way, exactly one side wins.
    """

    anchors: ClassVar[tuple[int, int, int]] = ANCHORS
    hexagonal: ClassVar[bool] = False

    def sample(self, position: Position, partial: Turn, rng: Random) -> PathSample:
        stones, size = bytes(position.board_with(partial)), position.size
        filling = bytearray(rng.randbytes(size * size * _BYTES))
        for one, other in pairs_on(stones, size, hexagonal=self.hexagonal):
            at = one * _BYTES
            filling[other * _BYTES:(other + 1) * _BYTES] = filling[at:at + _BYTES].translate(_OTHER)
        cells = int.from_bytes(filling, "little") & _wide(stones, _OPEN) | _wide(stones, _TAKEN)
        won, boards = _joined(cells, size, hexagonal=self.hexagonal), reduction(size, LANES)
        if position.seat_to_move:
            return PathSample(cells ^ boards.lane * boards.everywhere, won ^ boards.lane, size)
        return PathSample(cells, won, size)


class HexFills(PathFills):
    """The same estimator for Hex boards."""

    hexagonal: ClassVar[bool] = True


def _wide(stones: bytes, by_stone: tuple[bytes, ...]) -> int:
    return int.from_bytes(b"".join([by_stone[stone] for stone in stones]), "little")


def _joined(cells: int, size: int, *, hexagonal: bool) -> int:
    """Return the lanes in which seat 0 joins its sides."""
    if available():
        return int.from_bytes(module().joined(_bytes(cells, size), size, hexagonal), "little")
    boards = reduction(size, LANES)
    won = boards.joined(cells, diagonals=RISING)
    if not hexagonal:
        half = (1 << LANES // 2) - 1
        won = won & half | boards.joined(cells, diagonals=FALLING) & ~half
    return won


def _held(cells: int, won: int, size: int) -> tuple[list[int], list[int]]:
    """Return for each cell the number of lanes that are set, and of those that are also in `won`."""
    if available():
        held, held_won = module().counts(_bytes(cells, size), won.to_bytes(_BYTES, "little"), size)
        return held, held_won
    return _counts(cells, size), _counts(cells & won * reduction(size, LANES).everywhere, size)


def _bytes(cells: int, size: int) -> bytes:
    return cells.to_bytes(size * size * _BYTES, "little")


def _counts(cells: int, size: int) -> list[int]:
    """Return for each cell the number of lanes that are set."""
    words = unpack(f"<{size * size * _WORDS}Q", _bytes(cells, size))
    counts = [word.bit_count() for word in words]
    return list(map(sum, zip(*(counts[first::_WORDS] for first in range(_WORDS)), strict=True)))
