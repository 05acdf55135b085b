"""Random fillings of the board, hundreds at a time.

In games that end on a full board, or might as well, a playout is a random filling: only the final colours
matter. `LANES` fillings are made at once, one in each bit of an integer: a cell is an integer whose bit k
says whether seat 0 has the cell in filling k. One `&` then does the work of hundreds.
"""

from functools import cache
from random import Random
from typing import Final

from engines.grid import HEXAGONAL, ORTHOGONAL, Table, neighbours
from engines.notation import SWAP, Turn
from engines.ruleset import Position
from engines.rulesets.squ import Mark, Squ
from engines.search.estimate import Estimate
from engines.search.judge import stones_with
from engines.search.squares import squares

LANES: Final = 240
_ALL: Final = (1 << LANES) - 1

Cells = list[int]


class Fills:
    """Chances by random fillings, for every ruleset but SquareSquared."""

    def estimate(self, position: Position, partial: Turn, steps: tuple[int, ...], rng: Random) -> Estimate:
        """`after` of a word is `value`, but a swap's is what the other seat's stones would be worth."""
        cells = [(0, _ALL, 0)[stone] if stone else rng.getrandbits(LANES) for stone in stones_with(position, partial)]
        won, lost = _winners(cells, position, rng)
        if position.seat_to_move:
            cells = [_ALL ^ cell for cell in cells]
            won, lost = lost, won
        value = (LANES + won.bit_count() - lost.bit_count()) / (2 * LANES)
        after = []
        for step in steps:
            if step >= 0:
                own = cells[step]
                chances, lead = own.bit_count(), (won & own).bit_count() - (lost & own).bit_count()
                after.append((chances + lead + 2 * value) / (2 * chances + 2))
            else:
                after.append(1 - value if step == SWAP else value)
        return Estimate(value, after, LANES)


def _winners(cells: Cells, position: Position, rng: Random) -> tuple[int, int]:
    """The fillings that seat 0 wins, and those that seat 1 wins.

    Full boards of Scware and OOSCG-W have no crosscuts, but a random filling has. Which colour each of
    them favours is drawn by lot: one diagonal of every 2×2 square connects. That makes a planar graph of
    triangles, as Hex's is, on which exactly one side wins.
    """
    size = position.size
    if isinstance(position, Squ):
        return _squ_winners(cells, size, position.record)
    if position.slug == "square-grid-hex":
        won = _joined(cells, size, neighbours(size, HEXAGONAL))
    else:
        won = _joined(cells, size, neighbours(size, ORTHOGONAL), [rng.getrandbits(LANES) for _ in cells])
    return won, _ALL ^ won


def _joined(cells: Cells, size: int, table: Table, rising: Cells | None = None) -> int:
    """The fillings in which seat 0's cells join south to north.

    `rising[cell]`: where the diagonal from a square's south-west cell connects, and not the other one.
    """
    reached = [0] * len(cells)
    reached[:size] = cells[:size]
    order = range(len(cells))
    changed = True
    while changed:
        changed = False
        for cell in order:
            open_here = cells[cell] & ~reached[cell]
            if not open_here:
                continue
            near = 0
            for other in table[cell]:
                near |= reached[other]
            if rising is not None:
                for other, square, is_rising in _diagonals(size)[cell]:
                    near |= reached[other] & (rising[square] if is_rising else ~rising[square])
            if near := near & open_here:
                reached[cell] |= near
                changed = True
        order = order[::-1]
    won = 0
    for cell in range(len(cells) - size, len(cells)):
        won |= reached[cell]
    return won


@cache
def _diagonals(size: int) -> tuple[tuple[tuple[int, int, bool], ...], ...]:
    """For each cell, its diagonal neighbours: the cell, the square's south-west cell, whether it rises eastwards."""
    table: list[list[tuple[int, int, bool]]] = [[] for _ in range(size * size)]
    for row in range(size - 1):
        for column in range(size - 1):
            corner = row * size + column
            for one, other, is_rising in ((corner, corner + size + 1, True), (corner + 1, corner + size, False)):
                table[one].append((other, corner, is_rising))
                table[other].append((one, corner, is_rising))
    return tuple(map(tuple, table))


def _squ_winners(cells: Cells, size: int, record: Mark | None) -> tuple[int, int]:
    """The fillings in which each seat has the largest square; where both have one of that size, neither."""
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
