"""Lineup: four stones of one colour in a row win."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from engines.rules.errors import IllegalTurn
from engines.rules.notation import Turn
from engines.rules.outcome import Ending, Outcome
from engines.rules.ruleset import EMPTY, Note, Position, Steps

_WINNING = 4
_NOTED = 3
_WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup(Position):
    """A position of Lineup. A turn is one stone."""

    slug: ClassVar[str] = "lineup"
    version: ClassVar[int] = 1
    name: ClassVar[str] = "Lineup"
    designer: ClassVar[str] = "nobody in particular"
    summary: ClassVar[str] = "Place one stone per turn; four in a row win."
    colours: ClassVar[tuple[str, str]] = ("blue", "white")
    sizes: ClassVar[Sequence[int]] = range(4, 16)
    default_size: ClassVar[int] = 8
    phrases: ClassVar[Sequence[str]] = ("row of %(number)s",)

    @classmethod
    def _from_stones(cls, size: int, stones: bytes, seat_to_move: int) -> Self:
        return cls(size=size, stones=stones, seat_to_move=seat_to_move,
                   outcome=_ending(stones, size, range(size * size)))

    def _check_stones(self, turn: Turn) -> None:
        if len(turn) != 1:
            raise IllegalTurn("stones", f"a turn places one stone, not {len(turn)}")

    def _after(self, turn: Turn) -> Self:
        board = bytearray(self.stones)
        board[turn[0]] = self.seat_to_move + 1
        stones = bytes(board)
        return type(self)(size=self.size, stones=stones, seat_to_move=1 - self.seat_to_move,
                          outcome=_ending(stones, self.size, turn))

    def steps(self, partial: Turn = ()) -> Steps:
        if self.outcome is not None:
            return Steps((), may_end=False)
        if partial:
            return Steps((), may_end=True)
        return Steps(tuple(cell for cell, stone in enumerate(self.stones) if not stone), may_end=False)

    def legal_turns(self) -> Iterator[Turn]:
        for cell in self.steps().next:
            yield (cell,)

    def note(self, turn: Turn, after: Self) -> Note | None:
        """Name the row of three that the stone makes."""
        row = max(_rows(after.stones, self.size, turn[0]), key=len)
        return Note(f"row of {len(row)}", row) if len(row) == _NOTED else None


def _ending(stones: bytes, size: int, cells: Iterable[int]) -> Outcome | None:
    """Return the outcome if a row of four contains one of these cells or the board is full."""
    for cell in cells:
        if stones[cell]:
            for row in _rows(stones, size, cell):
                if len(row) >= _WINNING:
                    return Outcome(stones[cell] - 1, Ending.GOAL, row)
    return None if EMPTY in stones else Outcome(None, Ending.BOARD_FULL)


def _rows(stones: bytes, size: int, cell: int) -> Iterator[tuple[int, ...]]:
    """Yield the longest row through a stone in each of the four directions, cells ascending."""
    for up, across in _WAYS:
        row = [cell]
        for sign in (1, -1):
            y, x = cell // size + sign * up, cell % size + sign * across
            while 0 <= y < size and 0 <= x < size and stones[y * size + x] == stones[cell]:
                row.append(y * size + x)
                y, x = y + sign * up, x + sign * across
        yield tuple(sorted(row))
