"""The judge of SQU: who can still make a square larger than the largest."""

from collections.abc import Iterator
from typing import Final

from engines.rules.games.squ import Corners, Squ, squares
from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.judge import StaticEvaluation

Square = tuple[int, Corners]

# What a square of length 1 is worth by the discs that one colour alone has in it. Two missing discs are
# one turn's work, hence the step from one disc to two.
_BUILD: Final = (0.05, 1.0, 12.0, 40.0)
_BLOCK: Final = (0.0, 0.7, 10.0, 30.0)
_COMPLETE: Final = 1000.0
_RECORD: Final = 300.0


class SquaresJudge:
    """Judges by the squares that one colour alone has discs in and that are larger than the record."""

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        """A cell is worth the squares that it builds, completes or blocks."""
        assert isinstance(position, Squ)
        stones, own = position.board_with(partial), position.seat_to_move + 1
        missing = position.discs - len(partial)
        worth = [0.0] * len(stones)
        for (length, corners), ours, theirs in _open_squares(position, stones, own):
            value = _BLOCK[theirs] if theirs else _COMPLETE if 4 - ours <= missing else _BUILD[ours]
            for cell in corners:
                worth[cell] += length * value
        return [worth[step] for step in steps]

    def glance(self, position: Position, partial: Turn) -> StaticEvaluation:
        """Nothing: the fillings know more."""
        return StaticEvaluation()

    def rate(self, position: Position, seat: int) -> float:
        """The record, less what the other can make next turn, and the discs in open squares."""
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


def _open_squares(position: Squ, stones: bytes | bytearray, own: int) -> Iterator[tuple[Square, int, int]]:
    """The squares above the record in which at most one colour has discs: how many are ours, how many theirs."""
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
