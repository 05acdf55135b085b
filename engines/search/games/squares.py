"""The evaluator for SQU: which side can still make a square larger than the record."""

from collections.abc import Iterator
from typing import Any, Final

from engines.native import available, module
from engines.rules.games.squ import Corners, Squ, squares
from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.judge import StaticEvaluation

Square = tuple[int, Corners]

# The value of a square per unit of length, by the number of discs in it, if only one colour has any. Two missing discs
# need only one turn, hence the step from one disc to two.
_BUILD: Final = (0.05, 1.0, 12.0, 40.0)
_BLOCK: Final = (0.0, 0.7, 10.0, 30.0)
_COMPLETE: Final = 1000.0
_RECORD: Final = 300.0


class SquaresJudge:
    """Evaluates the squares that are larger than the record and in which only one colour has discs."""

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        """Rank cells by the squares that they build, complete or block."""
        assert isinstance(position, Squ)
        if available():
            worth: list[float] = native_discs(position, partial).worths()
            return [worth[step] for step in steps]
        stones, own = position.board_with(partial), position.seat_to_move + 1
        missing = position.discs - len(partial)
        worth = [0.0] * len(stones)
        for (length, corners), ours, theirs in _open_squares(position, stones, own):
            value = _BLOCK[theirs] if theirs else _COMPLETE if 4 - ours <= missing else _BUILD[ours]
            for cell in corners:
                worth[cell] += length * value
        return [worth[step] for step in steps]

    def glance(self, position: Position, partial: Turn) -> StaticEvaluation:
        """Return no opinion: the fillings are better."""
        return StaticEvaluation()

    def rate(self, position: Position, seat: int) -> float:
        """Evaluate the record, the largest square that the opponent can make next turn, and discs in open squares."""
        assert isinstance(position, Squ)
        record = position.record
        value = 0.0
        if record is not None:
            value = _RECORD * record.length if record.seat == seat else -_RECORD * record.length
        worst = 0
        for (length, _), ours, theirs in _open_squares(position, position.stones, seat + 1):
            value += length * (_BUILD[ours] if ours else -_BLOCK[theirs])
            if theirs >= 2:
                worst = max(worst, length)
        return value - _RECORD * worst


def native_discs(position: Squ, partial: Turn) -> Any:
    """Return the native engine's view of the board after the stones in `partial`."""
    record = position.record
    return module().Discs.of(bytes(position.board_with(partial)), position.size, position.seat_to_move,
                             position.discs - len(partial), *((record.length, record.seat) if record else (0, -1)))


def _open_squares(position: Squ, stones: bytes | bytearray, own: int) -> Iterator[tuple[Square, int, int]]:
    """Yield the squares above the record in which at most one colour has discs, with the discs of each colour."""
    standing = position.record.length if position.record else 0
    for square in squares(position.size):
        if square[0] <= standing:
            return
        one, two, three, four = square[1]
        discs = (stones[one], stones[two], stones[three], stones[four])
        ours = discs.count(own)
        theirs = 4 - ours - discs.count(0)
        if not (ours and theirs) and ours < 4 and theirs < 4:
            yield square, ours, theirs
