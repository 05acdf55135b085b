"""Random games that the native engine and the Python rules play side by side, compared step by step."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from engines.native import native_position
from engines.rules.notation import PASS, SWAP, Turn
from engines.rules.ruleset import Position, Steps


class Difference(AssertionError):
    """The native engine and the Python rules disagree."""


@dataclass
class Game:
    """A random game, played by both."""

    position: Position
    native: Any
    rng: Random
    seed: int
    turns: list[str]

    def positions(self) -> Iterator[int]:
        """Play to the end, and yield the number of positions compared in each turn."""
        while self.position.outcome is None:
            if self.chance(16):
                self.judge_any_turn()
            if self.chance(32):
                self.native = native_position(self.position)
            compared, turn = self.build_turn()
            self.turns.append(self.position.format(turn))
            self.position = self.position.after(turn)
            self.compare_boards()
            yield compared
        self.same_steps(self.position.steps(), ())
        yield 1

    def build_turn(self) -> tuple[int, Turn]:
        """Play a random turn, step by step. Returns the number of positions compared, and the turn."""
        turn: Turn = ()
        compared, end = 0, self.position.size ** 2
        while True:
            steps = self.position.steps(turn)
            if turn and not steps.next:
                return compared, turn  # the native turn has ended automatically
            self.same_steps(steps, turn)
            compared += 1
            choice = int(self.rng.random() * (len(steps.next) + steps.may_end))
            if choice == len(steps.next):
                self.native.add(end)
                return compared, turn
            step = steps.next[choice]
            turn = (*turn, step)
            if step < 0:
                self.native.add(end + 1 if step == PASS else end + 2)
                return compared, turn
            self.native.add(step)
            if self.native.partial and self.chance(8):
                self.same("unfinished board", bytes(self.position.board_with(turn)), self.native.stones, turn)

    def compare_boards(self) -> None:
        position, outcome = self.position, self.position.outcome
        self.same("stones", position.stones, self.native.stones)
        self.same("seat", position.seat_to_move, self.native.seat)
        if record := getattr(position, "record", None):
            length, seat, corner = self.native.record
            # A position that was set up does not know the corner, which no rule needs.
            first = record.corners[0] if corner >= 0 else corner
            self.same("record", (record.length, record.seat, first), (length, seat, corner))
        self.same("end of the game", outcome is not None, self.native.over)
        if outcome is not None:
            self.same("winner", -1 if outcome.winner is None else outcome.winner, self.native.winner)
            self.same("reason", outcome.reason.value, self.native.reason)

    def same_steps(self, steps: Steps, turn: Turn) -> None:
        self.same("next steps", steps.next, self.native.next(), turn)
        self.same("end of the turn", steps.may_end, self.native.may_end, turn)

    def judge_any_turn(self) -> None:
        """Compare the verdicts on some cells or words, which are mostly no legal turn."""
        cells = self.position.size ** 2
        number = min(self.rng.choice((1, 1, 2, 2, 3, 4)), cells)
        turn = (self.rng.choice((PASS, SWAP)),) if self.chance(10) else tuple(self.rng.sample(range(cells), number))
        other = self.native.copy()
        self.same("verdict", self.position.is_legal(turn), other.play(turn), turn)
        board = self.position.after(turn).stones if self.position.is_legal(turn) else self.position.stones
        self.same("board after the verdict", board, other.stones, turn)

    def chance(self, one_in: int) -> bool:
        return self.rng.random() * one_in < 1

    def same(self, what: str, python: object, native: object, turn: Turn = ()) -> None:
        if python != native:
            rows = "\n".join(self.position.rows())
            raise Difference(f"{self.position.slug} {self.position.size}, seed {self.seed}: {what}: Python has "
                             f"{python!r}, native has {native!r}\nunfinished turn: {turn}\n"
                             f"turns: {' '.join(self.turns)}\n{rows}")
