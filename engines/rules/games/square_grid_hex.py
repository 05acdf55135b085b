"""Square Grid Hex: the Hex of John Nash and Piet Hein on a square grid, after Mark Steere's rule sheet.

A point's neighbours are the orthogonal ones plus north-east and south-west, so the board is equivalent to a Hex board.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from engines.public import public
from engines.rules.distance import connection_measure
from engines.rules.errors import IllegalTurn
from engines.rules.grid import HEXAGONAL, Offsets, connection, joining_path, joins_sides, neighbours
from engines.rules.notation import SWAP, Turn
from engines.rules.outcome import Ending, Measure, Outcome
from engines.rules.ruleset import EMPTY, Position, Steps
from engines.rules.symmetry import HALF_TURN, Symmetry


@public("squarefield.rulesets")
@dataclass(frozen=True, slots=True, kw_only=True)
class SquareGridHex(Position):
    """A position of Square Grid Hex. A turn is one stone, or SWAP as white's answer to the first stone."""

    slug: ClassVar[str] = "square-grid-hex"
    version: ClassVar[int] = 1
    name: ClassVar[str] = "Square Grid Hex"
    designer: ClassVar[str] = "John Nash and Piet Hein"
    summary: ClassVar[str] = ("Join your two sides. Stones connect along rows, columns and the diagonals that "
                              "rise to the north-east.")
    colours: ClassVar[tuple[str, str]] = ("black", "white")
    sizes: ClassVar[Sequence[int]] = range(3, 20)
    default_size: ClassVar[int] = 11
    drawn_on = "points"
    has_goal_sides: ClassVar[bool] = True
    links: ClassVar[Offsets] = HEXAGONAL
    symmetries: ClassVar[Sequence[Symmetry]] = HALF_TURN
    caption: ClassVar[str] = "Stones to connect: %(counts)s"
    sgf_game: ClassVar[int | None] = 11

    @classmethod
    def _from_stones(cls, size: int, stones: bytes, seat_to_move: int) -> Self:
        outcome = connection(stones, size, neighbours(size, HEXAGONAL))
        return cls(size=size, stones=stones, seat_to_move=seat_to_move, outcome=outcome)

    @property
    def can_swap(self) -> bool:
        """True if white is to move and black's first stone is the only one on the board."""
        return (self.seat_to_move == 1 and self.stones.count(EMPTY) == len(self.stones) - 1 and 1 in self.stones)

    def _check_swap(self) -> None:
        if not self.can_swap:
            raise IllegalTurn("swap", "only white may swap, as the answer to black's first stone")

    def _check_stones(self, turn: Turn) -> None:
        if len(turn) != 1:
            raise IllegalTurn("stones", f"a turn places one stone, not {len(turn)}")

    def _after(self, turn: Turn) -> Self:
        seat, size = self.seat_to_move, self.size
        cell = self.stones.index(1) if turn[0] == SWAP else turn[0]
        board = bytearray(self.stones)
        board[cell] = seat + 1
        stones, table = bytes(board), neighbours(size, HEXAGONAL)
        outcome = None
        if joins_sides(stones, size, seat, table, (cell,)):
            outcome = Outcome(seat, Ending.CONNECTION, joining_path(stones, size, seat, table))
        return type(self)(size=size, stones=stones, seat_to_move=1 - seat, outcome=outcome)

    def steps(self, partial: Turn = ()) -> Steps:
        if self.outcome is not None:
            return Steps((), False)
        if partial:
            return Steps((), True)
        swap = (SWAP,) if self.can_swap else ()
        return Steps((*swap, *(point for point, stone in enumerate(self.stones) if not stone)), False)

    def legal_turns(self) -> Iterator[Turn]:
        for step in self.steps().next:
            yield (step,)

    def measure(self) -> Measure:
        """Return the stones that each side still needs."""
        return connection_measure(self.stones, self.size, HEXAGONAL)
