"""SquareSquared, version 3, by SiouxDenim: Go by Tromp-Taylor rules, scored ring by ring from the edge."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import ClassVar, Self

from engines.public import public
from engines.rules.errors import IllegalTurn
from engines.rules.grid import ORTHOGONAL, Offsets, Table, group_of, neighbours
from engines.rules.notation import PASS, Turn
from engines.rules.outcome import Ending, Measure, Outcome, Said
from engines.rules.ruleset import EMPTY, Effect, Position, Steps
from engines.rules.symmetry import EVERY, Symmetry

_PASS_TURN = (PASS,)
_OUTER = "%(score)s on the outer ring"
_INNER = "%(score)s on ring %(ring)s from the edge, after ties further out"


@public("squarefield.rulesets")
@dataclass(frozen=True, slots=True, kw_only=True)
class SquareSquared(Position):
    """A position of SquareSquared. A turn is one stone or PASS.

    `history` holds every earlier board of the game except the current one. Superko depends on it, so positions are
    equal only if their histories are. `passed` is true if the previous turn was a pass.

    In a position set up from rows, the empty board is the only earlier board, and the previous turn was not a pass.
    Groups there may lack liberties; a turn removes only groups that touch its stone.
    """

    slug: ClassVar[str] = "squaresquared"
    version: ClassVar[int] = 1
    name: ClassVar[str] = "SquareSquared"
    designer: ClassVar[str] = "SiouxDenim"
    summary: ClassVar[str] = ("Go in which only stones on the edge count; a tie there is settled by the next "
                              "ring in, down to the centre.")
    colours: ClassVar[tuple[str, str]] = ("black", "white")
    sizes: ClassVar[Sequence[int]] = range(2, 20)
    default_size: ClassVar[int] = 7
    drawn_on = "points"
    links: ClassVar[Offsets] = ORTHOGONAL
    symmetries: ClassVar[Sequence[Symmetry]] = EVERY
    caption: ClassVar[str] = "Stones on each ring, edge first: %(counts)s"
    endings: ClassVar[Sequence[str]] = (_OUTER, _INNER)
    sgf_game: ClassVar[int | None] = 1

    history: frozenset[bytes] = field(default=frozenset(), repr=False)
    passed: bool = False

    @classmethod
    def _from_stones(cls, size: int, stones: bytes, seat_to_move: int) -> Self:
        return cls(size=size, stones=stones, seat_to_move=seat_to_move,
                   history=frozenset({bytes(size * size)} - {stones}))

    def ring_counts(self) -> tuple[tuple[int, int], ...]:
        """Return the number of stones of seat 0 and of seat 1 on each ring, outermost first."""
        on_rings = (bytes(self.stones[point] for point in ring) for ring in rings(self.size))
        return tuple((ring.count(1), ring.count(2)) for ring in on_rings)

    @property
    def unseen(self) -> tuple[int, ...]:
        """Whether the previous turn was a pass."""
        return (int(self.passed),)

    def measure(self) -> Measure:
        """Return the stones on each ring. The outermost ring on which the seats differ decides who leads."""
        counts = self.ring_counts()
        return Measure(counts, next((int(black < white) for black, white in counts if black != white), None))

    @classmethod
    def how(cls, outcome: Outcome, size: int, measure: Measure | None) -> Said:
        """Name the ring that decided the game, and the stones there."""
        counts = enumerate(outcome.counts, start=1)
        ring, pair = next(((ring, pair) for ring, pair in counts if pair[0] != pair[1]), (0, (0, 0)))
        if outcome.winner is None or not ring:
            return super(SquareSquared, cls).how(outcome, size, measure)
        score = f"{pair[outcome.winner]}–{pair[1 - outcome.winner]}"
        return Said(_OUTER, {"score": score}) if ring == 1 else Said(_INNER, {"score": score, "ring": ring})

    def _check_pass(self) -> None:
        """Accept: a pass is always legal."""

    def _check_stones(self, turn: Turn) -> None:
        if len(turn) != 1:
            raise IllegalTurn("stones", f"a turn places one stone, not {len(turn)}")
        board = self._board_after(turn[0])
        if board == self.stones:
            raise IllegalTurn("superko", f"{self._at(turn[0])} would only remove itself, which repeats the position",
                              turn[0])
        if board in self.history:
            raise IllegalTurn("superko", f"{self._at(turn[0])} repeats an earlier position of the board", turn[0])

    def effect(self, partial: Turn, cell: int) -> Effect:
        """Return the groups that the stone joins, and the stones that it removes, the enemy's or its own group."""
        board, enemy = self._board_after(cell), 2 - self.seat_to_move
        gone = [point for point, stone in enumerate(self.board_with((cell,))) if stone and not board[point]]
        return super(SquareSquared, self).effect(partial, cell)._replace(
            captured=tuple(point for point in gone if self.stones[point] == enemy),
            lost=tuple(point for point in gone if self.stones[point] != enemy))

    def _after(self, turn: Turn) -> Self:
        if turn == _PASS_TURN:
            return type(self)(size=self.size, stones=self.stones, seat_to_move=1 - self.seat_to_move,
                              history=self.history, passed=True, outcome=self._score() if self.passed else None)
        return type(self)(size=self.size, stones=self._board_after(turn[0]), seat_to_move=1 - self.seat_to_move,
                          history=self.history | {self.stones})

    def _board_after(self, point: int) -> bytes:
        """Return the board after a stone on this empty point, by the Tromp–Taylor rules."""
        table, board = neighbours(self.size), bytearray(self.stones)
        enemy = 2 - self.seat_to_move
        board[point] = self.seat_to_move + 1
        for near in table[point]:
            if board[near] == enemy:
                _clear_without_liberty(board, near, table)
        _clear_without_liberty(board, point, table)
        return bytes(board)

    def _score(self) -> Outcome:
        counts = self.ring_counts()
        for ring, (black, white) in zip(rings(self.size), counts, strict=True):
            if black != white:
                return Outcome(0 if black > white else 1, Ending.TWO_PASSES, ring, counts)
        return Outcome(None, Ending.TWO_PASSES, (), counts)

    def _may_play(self, point: int) -> bool:
        board = self._board_after(point)
        return board not in self.history and board != self.stones

    def steps(self, partial: Turn = ()) -> Steps:
        if self.outcome is not None:
            return Steps((), False)
        if partial:
            return Steps((), True)
        return Steps((PASS, *(point for point in self._empty_points() if self._may_play(point))), False)

    def legal_turns(self) -> Iterator[Turn]:
        for step in self.steps().next:
            yield (step,)

    def random_turn(self, rng: Random) -> Turn:
        """Return a random legal turn, all equally likely: stones that superko forbids are redrawn."""
        steps = [PASS, *self._empty_points()]
        while True:
            step = steps.pop(rng.randrange(len(steps)))
            if step == PASS or self._may_play(step):
                return (step,)

    def _empty_points(self) -> list[int]:
        return [point for point, stone in enumerate(self.stones) if not stone]


@cache
def rings(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the points of each ring, outermost first; on an odd board, the last ring is the centre point."""
    points: list[list[int]] = [[] for _ in range((size + 1) // 2)]
    for row in range(size):
        for column in range(size):
            points[min(row, column, size - 1 - row, size - 1 - column)].append(row * size + column)
    return tuple(map(tuple, points))


def _clear_without_liberty(board: bytearray, point: int, table: Table) -> None:
    """Remove the group of the stone on `point` unless it has a liberty."""
    if not _has_liberty(board, point, table):
        for stone in group_of(board, point, table):
            board[stone] = EMPTY


def _has_liberty(board: bytearray, point: int, table: Table) -> bool:
    stone, group, stack = board[point], {point}, [point]
    while stack:
        for near in table[stack.pop()]:
            if board[near] == EMPTY:
                return True
            if board[near] == stone and near not in group:
                group.add(near)
                stack.append(near)
    return False
