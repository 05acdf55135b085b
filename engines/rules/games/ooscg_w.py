"""OOSCG-W, by Mark Steere (2023): a connection game in which crosscuts are removed as soon as they are formed.

A crosscut is a 2×2 square with red on one diagonal and blue on the other. A stone that forms crosscuts removes the
enemy stones in them, and the player gets as many bonus stones, of which the maximum possible number must be placed.
Enemy stones do not change while bonus stones are placed, so two bonus cells exclude each other only if they are the
empty diagonal of a square whose other diagonal is the enemy's. Such pairs join odd rows to even rows, so a bipartite
matching gives the maximum number (König).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Self

from engines.public import public
from engines.rules.distance import connection_measure
from engines.rules.errors import IllegalTurn
from engines.rules.grid import ORTHOGONAL, Offsets, connection, joining_path, joins_sides, neighbours
from engines.rules.notation import Turn
from engines.rules.outcome import Ending, Measure, Outcome
from engines.rules.ruleset import EMPTY, Effect, Op, Position, SetupError, Steps
from engines.rules.symmetry import REFLECTIONS, Symmetry

Stones = bytes | bytearray
# For each cell where a stone may be placed, the cells where a second stone may then not be placed.
Conflicts = dict[int, set[int]]


@public("squarefield.rulesets")
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
    links: ClassVar[Offsets] = ORTHOGONAL
    symmetries: ClassVar[Sequence[Symmetry]] = REFLECTIONS
    caption: ClassVar[str] = "Stones to connect: %(counts)s"
    first_stone_counts: ClassVar[bool] = True

    @classmethod
    def _from_stones(cls, size: int, stones: bytes, seat_to_move: int) -> Self:
        """Refuse a board with a crosscut: no turn leaves one, and a full board with one may have no winner."""
        for cell, stone in enumerate(stones):
            if stone and crosscut_enemies(stones, size, stone - 1, cell):
                raise SetupError("the board has a crosscut, and no turn can end with one on the board")
        outcome = connection(stones, size, neighbours(size))
        return cls(size=size, stones=stones, seat_to_move=seat_to_move, outcome=outcome)

    def _check_empty(self, turn: Turn) -> None:
        removed = self._removed(turn[0]) if self.stones[turn[0]] == EMPTY else set()
        taken = set()
        for cell in turn:
            if cell in taken:
                raise IllegalTurn("twice", f"{self._at(cell)} is named twice", cell)
            if self.stones[cell] != EMPTY and cell not in removed:
                raise IllegalTurn("occupied", f"{self._at(cell)} is not empty", cell)
            taken.add(cell)

    def _check_stones(self, turn: Turn) -> None:
        first, bonus = turn[0], turn[1:]
        owed = len(self._removed(first))
        if len(bonus) > owed:
            if not owed:
                raise IllegalTurn("no-crosscut", f"{self._at(first)} forms no crosscut, so no bonus stone may follow",
                                  first)
            raise IllegalTurn("bonus-many", f"{self._at(first)} removes {owed} stones, so at most {owed} bonus stones "
                                            f"may follow, not {len(bonus)}", first)
        if not owed:
            return
        cleared = self._cleared(first)
        self._check_crosscuts(cleared, bonus)
        most = most_bonus(cleared, self.size, self.seat_to_move, owed)
        if len(bonus) < most:
            raise IllegalTurn("bonus-few", f"{self._at(first)} removes {owed} stones and {most} bonus stones fit, "
                                           f"so {most} must follow, not {len(bonus)}", first,
                              count=most - len(bonus))

    def _check_crosscuts(self, cleared: bytearray, bonus: Turn) -> None:
        filled = bytearray(cleared)
        for cell in bonus:
            filled[cell] = self.seat_to_move + 1
        for cell in bonus:
            if enemies := crosscut_enemies(filled, self.size, self.seat_to_move, cell):
                names = " and ".join(self._at(enemy) for enemy in sorted(enemies))
                raise IllegalTurn("crosscut", f"the bonus stone on {self._at(cell)} forms a crosscut with {names}",
                                  cell, *sorted(enemies))

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

    def effect(self, partial: Turn, cell: int) -> Effect:
        """Return the groups that the stone joins, and the stones that the first stone removes."""
        joined = super(OoscgW, self).effect(partial, cell)
        return joined if partial else joined._replace(captured=tuple(sorted(self._removed(cell))))

    def measure(self) -> Measure:
        """Return the stones that each side still needs, counting the bonus stones of crosscuts."""
        return connection_measure(self.stones, self.size, crosscuts=True)

    def ops(self, turn: Turn) -> tuple[Op, ...]:
        """Return the first stone, the removals and then the bonus stones, which may use vacated cells."""
        if turn[0] < 0:
            return ()
        seat = self.seat_to_move
        removals: list[Op] = [(cell, None) for cell in sorted(self._removed(turn[0]))]
        return ((turn[0], seat), *removals, *((cell, seat) for cell in turn[1:]))

    def board_with(self, partial: Turn) -> bytearray:
        """Return the board with the stones of an unfinished turn, after the removals of the first stone."""
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
        """Yield every first stone with every set of bonus stones, in ascending order.

        The same stones can be two turns if a different one comes first and removes different enemy stones.
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
        """Return the board after the first stone and its removals, before any bonus stones."""
        board = bytearray(self.stones)
        board[first] = self.seat_to_move + 1
        for cell in self._removed(first):
            board[cell] = EMPTY
        return board


def crosscut_enemies(stones: Stones, size: int, seat: int, cell: int) -> set[int]:
    """Return the enemy stones in the crosscuts that the seat's stone on `cell` is or would be part of."""
    own, enemy = seat + 1, 2 - seat
    enemies: set[int] = set()
    for opposite, one, other in _corners(size)[cell]:
        if stones[opposite] == own and stones[one] == enemy == stones[other]:
            enemies.add(one)
            enemies.add(other)
    return enemies


def most_bonus(stones: Stones, size: int, seat: int, owed: int) -> int:
    """Return the maximum number of bonus stones, at most `owed`, that the seat can place here.

    `stones` is the board after the first stone and the removals.
    """
    return min(owed, independence(conflicts_of(stones, size, seat), size))


def bonus_enough(stones: Stones, size: int, seat: int, owed: int, cells: Iterable[int]) -> bool:
    """Return whether the turn may end with these bonus stones: no crosscut, and as many as possible.

    `stones` is the board after the first stone and the removals.
    """
    conflicts, chosen = conflicts_of(stones, size, seat), set(cells)
    if any(cell not in conflicts or conflicts[cell] & chosen for cell in chosen):
        return False
    return len(chosen) == min(owed, independence(conflicts, size))


def conflicts_of(stones: Stones, size: int, seat: int) -> Conflicts:
    """Return the cells where a single stone of the seat forms no crosscut, each with the cells it conflicts with."""
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
    """Return how many of the cells can have stones together: all minus the size of a maximum matching (König)."""
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
    """Return the conflicts that remain after choosing a cell."""
    gone = {chosen, *conflicts[chosen]}
    return {cell: others - gone for cell, others in conflicts.items() if cell not in gone}


def _extending(conflicts: Conflicts, size: int, missing: int) -> Iterator[int]:
    """Yield the cells that are part of a valid set of `missing` stones; at least one such set must exist."""
    spare = independence(conflicts, size) - missing
    for cell, others in conflicts.items():
        # Choosing a cell uses up the cell and its conflicts. If that many cells are spare, no matching is needed.
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
    """Return for each cell the 2×2 squares around it: the diagonally opposite cell and the other two."""
    corners: list[list[tuple[int, int, int]]] = [[] for _ in range(size * size)]
    for one, other, left, right in _diagonals(size):
        corners[one].append((other, left, right))
        corners[other].append((one, left, right))
    return tuple(map(tuple, corners))


@cache
def _diagonals(size: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return each diagonal of each 2×2 square, followed by the square's other diagonal."""
    west_souths = [row * size + column for row in range(size - 1) for column in range(size - 1)]
    rising = [(cell, cell + size + 1, cell + 1, cell + size) for cell in west_souths]
    return (*rising, *((left, right, one, other) for one, other, left, right in rising))
