"""Random fillings for SQU, where the largest square on the full board wins.

`LANES` fillings are made at once, one per bit of an integer, so that one `&` processes all of them.
"""

from random import Random
from typing import ClassVar, Final, NamedTuple

from engines.native import available
from engines.rules.games.squ import Mark, Squ, squares
from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.games.squares import native_discs

LANES: Final = 512
_ALL: Final = (1 << LANES) - 1


class Fillings(NamedTuple):
    """Fillings and their winners, with one bit per filling.

    `cells[cell]` has the fillings in which the seat to move has the cell; `won` and `lost` have those that the seat
    wins and loses.
    """

    cells: list[int]
    won: int
    lost: int

    @property
    def playouts(self) -> int:
        return LANES

    @property
    def value(self) -> float:
        return (LANES + self.won.bit_count() - self.lost.bit_count()) / (2 * LANES)

    def after(self, steps: tuple[int, ...]) -> list[float]:
        won, lost, value = self.won, self.lost, self.value
        chances = []
        for step in steps:
            own = self.cells[step]
            count, lead = own.bit_count(), (won & own).bit_count() - (lost & own).bit_count()
            chances.append((count + lead + 2 * value) / (2 * count + 2))
        return chances


class Chances(NamedTuple):
    """Fillings that the native engine has evaluated: the seat's chance, and the chance after each step."""

    value: float
    by_cell: list[float]

    @property
    def playouts(self) -> int:
        return LANES

    def after(self, steps: tuple[int, ...]) -> list[float]:
        return [self.by_cell[step] for step in steps]


class SquareFills:
    """Estimates chances by random fillings."""

    anchors: ClassVar[tuple[int, int, int]] = (80, 400, 2000)

    def sample(self, position: Position, partial: Turn, rng: Random) -> Fillings | Chances:
        assert isinstance(position, Squ)
        stones = position.board_with(partial)
        if available():  # the bits are those that `getrandbits` would return for one cell after the other
            return Chances(*native_discs(position, partial).fill(rng.randbytes(stones.count(0) * LANES // 8)))
        seat, record = position.seat_to_move, position.record
        cells = [_ALL * (stone == seat + 1) if stone else rng.getrandbits(LANES) for stone in stones]
        for cell in _completing(position, stones, position.discs - len(partial)):
            cells[cell] = _ALL
        return Fillings(cells, *winners(cells, position.size, record and record._replace(seat=record.seat ^ seat)))


def _completing(position: Squ, stones: bytearray, missing: int) -> list[int]:
    """Return the empty corners of the largest square that the seat to move can mark with `missing` discs.

    Return none if the opponent could answer with a larger square, which should be stopped first.
    """
    own = position.seat_to_move + 1
    standing = position.record.length if position.record else 0
    for length, corners in squares(position.size):
        if length <= standing:
            break
        one, two, three, four = corners
        discs = (stones[one], stones[two], stones[three], stones[four])
        empty = discs.count(0)
        if empty > 2 or not empty:
            continue
        ours = discs.count(own)
        if ours + empty == 4 and empty <= missing:
            return [cell for cell in corners if not stones[cell]]
        if not ours:
            break
    return []


def winners(cells: list[int], size: int, record: Mark | None) -> tuple[int, int]:
    """Return the fillings in which seat 0, the owner of `cells`, has the largest square, and those that seat 1 wins.

    If both have a square of that size and it is not the record's size, neither counts: the order of play decides.
    """
    standing = record.length if record else 0
    won = lost = 0
    undecided = _ALL
    ours = theirs = 0
    length = size
    for square, (one, two, three, four) in squares(size):
        if square != length:
            won |= ours & ~theirs & undecided
            lost |= theirs & ~ours & undecided
            undecided &= ~(ours | theirs)
            ours = theirs = 0
            length = square
            if not undecided or square <= standing:
                break
        ours |= cells[one] & cells[two] & cells[three] & cells[four]
        theirs |= ~(cells[one] | cells[two] | cells[three] | cells[four])
    won |= ours & ~theirs & undecided
    lost |= theirs & ~ours & undecided
    if record:
        undecided &= ~(ours | theirs)
        if record.seat == 0:
            won |= undecided
        else:
            lost |= undecided
    return won, lost & _ALL
