"""OOSCG-W, by Mark Steere (2023): a connection game whose crosscuts are cleared as they arise.

A crosscut is a 2×2 square with two stones of each colour on its diagonals. The stone that forms
crosscuts removes their enemy stones and earns as many bonus stones, of which the greatest possible
number must be placed. Enemy stones do not change while bonus stones are placed, so two bonus cells
exclude each other only as the empty diagonal of a square whose other diagonal is the enemy's. Such
pairs join odd rows to even rows: the greatest number is a bipartite matching away (König).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Self

from engines.rules.errors import IllegalTurn
from engines.rules.grid import connection, joining_path, joins_sides, neighbours
from engines.rules.notation import Turn
from engines.rules.outcome import Ending, Outcome
from engines.rules.ruleset import EMPTY, Op, Position, SetupError, Steps

Stones = bytes | bytearray
# For each cell where a stone may stand, the cells where no second stone may then stand.
Conflicts = dict[int, set[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OoscgW(Position):
    """A position of OOSCG-W. A turn is its first stone, then its bonus stones in any order."""

    slug: ClassVar[str] = "ooscg-w"
    version: ClassVar[int] = 1
    name: ClassVar[str] = "OOSCG-W"
    designer: ClassVar[str] = "Mark Steere"
    summary: ClassVar[str] = ("Join your two sides. A stone that forms crosscuts clears their enemy stones "
                              "and earns as many bonus stones.")
    colours: ClassVar[tuple[str, str]] = ("red", "blue")
    sizes: ClassVar[Sequence[int]] = range(3, 20)
    default_size: ClassVar[int] = 9
    has_goal_sides: ClassVar[bool] = True
    first_stone_counts: ClassVar[bool] = True

    @classmethod
    def _from_stones(cls, size: int, stones: bytes, seat_to_move: int) -> Self:
        """Refuses a board on which a crosscut stands: no turn ends on one, and a full one may have no winner."""
        for cell, stone in enumerate(stones):
            if stone and crosscut_enemies(stones, size, stone - 1, cell):
                raise SetupError("a crosscut stands on the board, and no turn ends so")
        outcome = connection(stones, size, neighbours(size))
        return cls(size=size, stones=stones, seat_to_move=seat_to_move, outcome=outcome)

    def _check_empty(self, turn: Turn) -> None:
        removed = self._removed(turn[0]) if self.stones[turn[0]] == EMPTY else set()
        taken = set()
        for cell in turn:
            if cell in taken:
                raise IllegalTurn("twice", f"{self._at(cell)} is named twice")
            if self.stones[cell] != EMPTY and cell not in removed:
                raise IllegalTurn("occupied", f"{self._at(cell)} is not empty")
            taken.add(cell)

    def _check_stones(self, turn: Turn) -> None:
        first, bonus = turn[0], turn[1:]
        owed = len(self._removed(first))
        if len(bonus) > owed:
            if not owed:
                raise IllegalTurn("no-crosscut", f"{self._at(first)} forms no crosscut, so no bonus stone may follow")
            raise IllegalTurn("bonus-many", f"{self._at(first)} removes {owed} stones, so at most {owed} bonus stones "
                                            f"may follow, not {len(bonus)}")
        if not owed:
            return
        cleared = self._cleared(first)
        self._check_crosscuts(cleared, bonus)
        most = most_bonus(cleared, self.size, self.seat_to_move, owed)
        if len(bonus) < most:
            raise IllegalTurn("bonus-few", f"{self._at(first)} removes {owed} stones and {most} bonus stones fit, "
                                           f"so {most} must follow, not {len(bonus)}")

    def _check_crosscuts(self, cleared: bytearray, bonus: Turn) -> None:
        filled = bytearray(cleared)
        for cell in bonus:
            filled[cell] = self.seat_to_move + 1
        for cell in bonus:
            if enemies := crosscut_enemies(filled, self.size, self.seat_to_move, cell):
                names = " and ".join(self._at(enemy) for enemy in sorted(enemies))
                raise IllegalTurn("crosscut", f"the bonus stone on {self._at(cell)} forms a crosscut with {names}")

    def _after(self, turn: Turn) -> Self:
        seat, size = self.seat_to_move, self.size
        board = self._cleared(turn[0])
        for cell in turn[1:]:
            board[cell] = seat + 1
        stones, table = bytes(board), neighbours(size)
        outcome = None
        if joins_sides(stones, size, seat, table, turn):
            outcome = Outcome(seat, Ending.CONNECTION, joining_path(stones, size, seat, table))
        return type(self)(size=size, stones=stones, seat_to_move=1 - seat, outcome=outcome)

    def ops(self, turn: Turn) -> tuple[Op, ...]:
        """First stone, removals, bonus stones: a bonus stone may stand on a vacated cell."""
        if turn[0] < 0:
            return ()
        seat = self.seat_to_move
        removals: list[Op] = [(cell, None) for cell in sorted(self._removed(turn[0]))]
        return ((turn[0], seat), *removals, *((cell, seat) for cell in turn[1:]))

    def board_with(self, partial: Turn) -> bytearray:
        """What the first stone removes is gone."""
        board = self._cleared(partial[0]) if partial and partial[0] >= 0 else bytearray(self.stones)
        for cell in partial[1:]:
            board[cell] = self.seat_to_move + 1
        return board

    def steps(self, partial: Turn = ()) -> Steps:
        if self.outcome is not None:
            return Steps((), False)
        if not partial:
            return Steps(tuple(cell for cell, stone in enumerate(self.stones) if not stone), False)
        owed = len(self._removed(partial[0]))
        if not owed:
            return Steps((), True)
        conflicts = conflicts_of(self._cleared(partial[0]), self.size, self.seat_to_move)
        missing = min(owed, independence(conflicts, self.size)) - (len(partial) - 1)
        if not missing:
            return Steps((), True)
        for cell in partial[1:]:
            conflicts = _beside(conflicts, cell)
        return Steps(tuple(_extending(conflicts, self.size, missing)), False)

    def legal_turns(self) -> Iterator[Turn]:
        """Every first stone with every set of bonus stones, ascending.

        The same stones can be two turns, if another of them comes first and removes other enemies.
        """
        for first in self.steps().next:
            owed = len(self._removed(first))
            if not owed:
                yield (first,)
                continue
            conflicts = conflicts_of(self._cleared(first), self.size, self.seat_to_move)
            most = min(owed, independence(conflicts, self.size))
            for bonus in _independent_sets(conflicts, most):
                yield (first, *bonus)

    def _removed(self, first: int) -> set[int]:
        return crosscut_enemies(self.stones, self.size, self.seat_to_move, first)

    def _cleared(self, first: int) -> bytearray:
        """The board after the first stone and its removals, before any bonus stone."""
        board = bytearray(self.stones)
        board[first] = self.seat_to_move + 1
        for cell in self._removed(first):
            board[cell] = EMPTY
        return board


def crosscut_enemies(stones: Stones, size: int, seat: int, cell: int) -> set[int]:
    """The enemy stones of the crosscuts that the seat's stone on `cell` is, or would be, part of."""
    own, enemy = seat + 1, 2 - seat
    enemies: set[int] = set()
    for opposite, one, other in _corners(size)[cell]:
        if stones[opposite] == own and stones[one] == enemy == stones[other]:
            enemies.add(one)
            enemies.add(other)
    return enemies


def most_bonus(stones: Stones, size: int, seat: int, owed: int) -> int:
    """The greatest number of bonus stones, at most `owed`, that the seat can place here.

    `stones` is the board after the first stone and the removals.
    """
    return min(owed, independence(conflicts_of(stones, size, seat), size))


def bonus_enough(stones: Stones, size: int, seat: int, owed: int, cells: Iterable[int]) -> bool:
    """Whether these are bonus stones with which the turn may end: no crosscut, and as many as can be.

    `stones` is the board after the first stone and the removals.
    """
    conflicts, chosen = conflicts_of(stones, size, seat), set(cells)
    if any(cell not in conflicts or conflicts[cell] & chosen for cell in chosen):
        return False
    return len(chosen) == min(owed, independence(conflicts, size))


def conflicts_of(stones: Stones, size: int, seat: int) -> Conflicts:
    """The cells where the seat's stone alone forms no crosscut, each with those that it conflicts with."""
    own, enemy = seat + 1, 2 - seat
    conflicts: Conflicts = {cell: set() for cell, stone in enumerate(stones) if stone == EMPTY}
    pairs = []
    for one, other, left, right in _diagonals(size):
        if stones[left] == enemy == stones[right]:
            if stones[one] == own:
                conflicts.pop(other, None)
            elif stones[other] == own:
                conflicts.pop(one, None)
            else:
                pairs.append((one, other))
    for one, other in pairs:
        if one in conflicts and other in conflicts:
            conflicts[one].add(other)
            conflicts[other].add(one)
    return conflicts


def independence(conflicts: Conflicts, size: int) -> int:
    """How many of the cells can hold stones together: all but a greatest matching (König)."""
    partner: dict[int, int] = {}

    def augments(cell: int, seen: set[int]) -> bool:
        for other in conflicts[cell]:
            if other not in seen:
                seen.add(other)
                if other not in partner or augments(partner[other], seen):
                    partner[other] = cell
                    return True
        return False

    matched = sum(augments(cell, set()) for cell in conflicts if conflicts[cell] and cell // size % 2 == 0)
    return len(conflicts) - matched


def _beside(conflicts: Conflicts, chosen: int) -> Conflicts:
    """The conflicts that remain beside a chosen cell."""
    gone = {chosen, *conflicts[chosen]}
    return {cell: others - gone for cell, others in conflicts.items() if cell not in gone}


def _extending(conflicts: Conflicts, size: int, missing: int) -> Iterator[int]:
    """The cells that belong to some set of `missing` stones; such a set must exist."""
    spare = independence(conflicts, size) - missing
    for cell, others in conflicts.items():
        # Choosing a cell costs itself and its conflicts: with that many to spare there is nothing to compute.
        if len(others) <= spare or independence(_beside(conflicts, cell), size) >= missing - 1:
            yield cell


def _independent_sets(conflicts: Conflicts, count: int, above: int = -1) -> Iterator[Turn]:
    if not count:
        yield ()
        return
    for cell in conflicts:
        if cell > above:
            for rest in _independent_sets(_beside(conflicts, cell), count - 1, cell):
                yield (cell, *rest)


@cache
def _corners(size: int) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """For each cell, the 2×2 squares around it: the opposite cell and the two others."""
    corners: list[list[tuple[int, int, int]]] = [[] for _ in range(size * size)]
    for one, other, left, right in _diagonals(size):
        corners[one].append((other, left, right))
        corners[other].append((one, left, right))
    return tuple(map(tuple, corners))


@cache
def _diagonals(size: int) -> tuple[tuple[int, int, int, int], ...]:
    """Each diagonal of each 2×2 square, followed by the square's other diagonal."""
    west_souths = [row * size + column for row in range(size - 1) for column in range(size - 1)]
    rising = [(cell, cell + size + 1, cell + 1, cell + size) for cell in west_souths]
    return (*rising, *((left, right, one, other) for one, other, left, right in rising))
