"""SQU, by Néstor Romeral Andrés: the largest axis-parallel square with four discs at its corners wins."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random
from typing import ClassVar, NamedTuple, Self

from engines.public import public
from engines.rules.bitboard import cells_with, mask_of
from engines.rules.errors import IllegalTurn
from engines.rules.notation import Turn, cell_name
from engines.rules.outcome import Ending, Measure, Outcome, Said
from engines.rules.ruleset import EMPTY, Effect, Note, Position, Steps
from engines.rules.symmetry import EVERY, Symmetry

Corners = tuple[int, int, int, int]
# Words for a win with a larger square, and with one of the same size that was made first.
_WON = ("%(score)s: the larger square (%(corners)s)", "%(score)s: the square made first (%(corners)s)")


class Mark(NamedTuple):
    """A marked squ: its number of cells per side, its seat, and its corner cells in ascending order."""

    length: int
    seat: int
    corners: Corners


@public("squarefield.rulesets")
@dataclass(frozen=True, slots=True, kw_only=True)
class Squ(Position):
    """A position of SQU. `record` is the last marked squ, which is the largest so far, or None.

    In a position set up from rows, the record is the largest squ on the board. If both colours have one of that size,
    the rows do not show which came first, and seat 0's is assumed to be first.
    """

    slug: ClassVar[str] = "squ"
    version: ClassVar[int] = 1
    name: ClassVar[str] = "SQU"
    designer: ClassVar[str] = "Néstor Romeral Andrés"
    summary: ClassVar[str] = ("Make the largest square with four of your discs at its corners. "
                              "One disc opens, then two a turn until the board is full.")
    colours: ClassVar[tuple[str, str]] = ("red", "black")
    sizes: ClassVar[Sequence[int]] = range(4, 19, 2)
    default_size: ClassVar[int] = 8
    symmetries: ClassVar[Sequence[Symmetry]] = EVERY
    phrases: ClassVar[Sequence[str]] = ("square: side %(number)s",)
    caption: ClassVar[str] = "Sides of the largest squares: %(counts)s"
    endings: ClassVar[Sequence[str]] = _WON

    record: Mark | None = None

    @classmethod
    def _from_stones(cls, size: int, stones: bytes, seat_to_move: int) -> Self:
        marks = [mark for seat in (0, 1) if (mark := largest_squ(stones, size, seat))]
        record = max(marks, key=lambda mark: mark.length, default=None)
        return cls(size=size, stones=stones, seat_to_move=seat_to_move, record=record, outcome=_ending(stones, record))

    @property
    def discs(self) -> int:
        """The number of discs in this turn: one on an empty board or if one cell is left, otherwise two."""
        empty = self.stones.count(EMPTY)
        return 1 if empty == 1 or empty == len(self.stones) else 2

    def _check_stones(self, turn: Turn) -> None:
        if len(turn) != self.discs:
            due = "two discs" if self.discs == 2 else "one disc"
            raise IllegalTurn("discs", f"this turn places {due}, not {len(turn)}", count=self.discs - len(turn))

    def _after(self, turn: Turn) -> Self:
        seat, board = self.seat_to_move, bytearray(self.stones)
        for cell in turn:
            board[cell] = seat + 1
        stones = bytes(board)
        record = _larger(stones, self.size, seat, turn, self.record)
        return type(self)(size=self.size, stones=stones, seat_to_move=1 - seat, record=record,
                          outcome=_ending(stones, record))

    def note(self, turn: Turn, after: Self) -> Note | None:
        """Return a note about the squ that the turn marks, if any."""
        record = after.record
        return Note(f"square: side {record.length}", record.corners) if record and record != self.record else None

    def effect(self, partial: Turn, cell: int) -> Effect:
        """Return the square that the disc completes, even if it is not larger than the largest one so far."""
        board, own = self.board_with(partial), self.seat_to_move + 1
        board[cell] = own
        square = next((length for length, corners in _squares_at(self.size)[cell]
                       if all(board[corner] == own for corner in corners)), 0)
        record = _larger(bytes(board), self.size, self.seat_to_move, partial, self.record)
        return Effect(cell, square=square, best=record.length if record else 0)

    @property
    def unseen(self) -> tuple[int, ...]:
        """The length and the seat of the marked squ: of equal ones, the first counts."""
        return (self.record.length, self.record.seat) if self.record else ()

    def measure(self) -> Measure:
        """Return the cells per side of each seat's largest squ, or 0. Of equal ones, the one made first leads."""
        found = (largest_squ(self.stones, self.size, seat) for seat in (0, 1))
        first, second = (mark.length if mark else 0 for mark in found)
        return Measure(((first, second),), self.record.seat if self.record else None)

    @classmethod
    def how(cls, outcome: Outcome, size: int, measure: Measure | None) -> Said:
        """Name the sides of both largest squares, and the corners of the one that won."""
        if outcome.winner is None or not outcome.cells or measure is None or outcome.reason is not Ending.BOARD_FULL:
            return super(Squ, cls).how(outcome, size, measure)
        own, other = measure.counts[0][outcome.winner], measure.counts[0][1 - outcome.winner]
        first, last = (cell_name(cell, size) for cell in (outcome.cells[0], outcome.cells[-1]))
        return Said(_WON[own == other], {"score": f"{own}–{other}", "corners": f"{first}–{last}"})

    def steps(self, partial: Turn = ()) -> Steps:
        if self.outcome is not None:
            return Steps((), False)
        if len(partial) == self.discs:
            return Steps((), True)
        return Steps(tuple(cell for cell in self._empty_cells() if cell not in partial), False)

    def legal_turns(self) -> Iterator[Turn]:
        if self.outcome is None:
            yield from combinations(self._empty_cells(), self.discs)

    def random_turn(self, rng: Random) -> Turn:
        return tuple(rng.sample(self._empty_cells(), self.discs))

    def _empty_cells(self) -> list[int]:
        return [cell for cell, stone in enumerate(self.stones) if not stone]


def largest_squ(stones: bytes, size: int, seat: int) -> Mark | None:
    """Return the seat's largest squ on the board, or None; if several are equal, the first one by its corners."""
    own = cells_with(stones, seat + 1)
    every = zip(squares(size), _masks(size), strict=True)
    return next((Mark(length, seat, corners) for (length, corners), mask in every if own & mask == mask), None)


def _larger(stones: bytes, size: int, seat: int, cells: Iterable[int], record: Mark | None) -> Mark | None:
    """Return the record after the seat has placed discs on these cells.

    Of several equal squs, the one with the first corners is marked, regardless of the order of the discs.
    """
    standing = record.length if record else 0
    best, squares_at, disc = record, _squares_at(size), seat + 1
    for cell in cells:
        for length, corners in squares_at[cell]:
            if length <= standing or (best and length < best.length):
                break
            one, two, three, four = corners
            if (stones[one] == disc == stones[two] and stones[three] == disc == stones[four]
                    and (best is None or length > best.length or corners < best.corners)):
                best = Mark(length, seat, corners)
                break
    return best


def _ending(stones: bytes, record: Mark | None) -> Outcome | None:
    if EMPTY in stones:
        return None
    if record is None:
        return Outcome(None, Ending.BOARD_FULL)
    return Outcome(record.seat, Ending.BOARD_FULL, record.corners)


@cache
def squares(size: int) -> tuple[tuple[int, Corners], ...]:
    """Return every axis-parallel square of a board, largest first: its cells per side and its corners."""
    return tuple(
        (across + 1, (corner, corner + across, corner + across * size, corner + across * size + across))
        for across in range(size - 1, 0, -1)
        for row in range(size - across)
        for corner in range(row * size, row * size + size - across)
    )


@cache
def _masks(size: int) -> tuple[int, ...]:
    """Return the corners of `squares` as sets of cells."""
    return tuple(mask_of(corners) for _, corners in squares(size))


@cache
def _squares_at(size: int) -> tuple[tuple[tuple[int, Corners], ...], ...]:
    """Return for each cell the squares with a corner there, largest first."""
    found: list[list[tuple[int, Corners]]] = [[] for _ in range(size * size)]
    for square in squares(size):
        for cell in square[1]:
            found[cell].append(square)
    return tuple(map(tuple, found))
