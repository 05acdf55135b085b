"""One game, action by action, in pure Python: what every environment and wrapper here is measured against."""

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Self

from engines.env.actions import action_count, action_name, action_of, end_turn, step_of
from engines.env.errors import IllegalAction
from engines.rules.errors import IllegalTurn
from engines.rules.explaining import ORDER
from engines.rules.notation import Turn, cell_name
from engines.rules.outcome import default_ply_cap
from engines.rules.ruleset import Position, Ruleset, Steps

_NO_STEPS: Final = Steps((), may_end=False)


@dataclass(frozen=True, slots=True)
class State:
    """A position with the stones of an unfinished turn: a frozen value.

    `steps` are the possible next steps, `plies` the number of finished turns, and `cap` is the ply at which the game
    is cut off as a draw.
    """

    position: Position
    cap: int
    stones: Turn = ()
    steps: Steps = _NO_STEPS
    plies: int = 0

    @classmethod
    def start(cls, ruleset: Ruleset, size: int | None = None, cap: int | None = None) -> Self:
        """Return the state before the first action. Raises SetupError if the ruleset does not have this size."""
        position = ruleset.start(size)
        return cls(position, default_ply_cap(position.size) if cap is None else cap, steps=position.steps())

    @property
    def size(self) -> int:
        """The cells per side."""
        return self.position.size

    @property
    def seat(self) -> int:
        """The seat to move."""
        return self.position.seat_to_move

    @property
    def terminated(self) -> bool:
        """Whether the rules have ended the game."""
        return self.position.outcome is not None

    @property
    def truncated(self) -> bool:
        """Whether the game was cut off as a draw because it is too long."""
        return not self.terminated and self.plies >= self.cap

    @property
    def over(self) -> bool:
        """Whether the game has ended either way."""
        return self.terminated or self.truncated

    @property
    def rewards(self) -> tuple[int, int]:
        """1 for the winner and -1 for the loser; 0 for both after a draw and during the game."""
        winner = self.position.outcome.winner if self.position.outcome else None
        return (0, 0) if winner is None else (1, -1) if winner == 0 else (-1, 1)

    @property
    def legal(self) -> tuple[int, ...]:
        """The possible actions in ascending order; none after the end of the game."""
        if self.over:
            return ()
        actions = [action_of(step, self.size) for step in self.steps.next]
        return tuple(sorted([*actions, end_turn(self.size)] if self.steps.may_end else actions))

    def text(self) -> str:
        """Return the board and all else that the rules need: states with equal texts have equal futures.

        Earlier boards, which superko forbids, are a digest.
        """
        first = int(self.position.first_stone_counts)
        stones = [cell_name(cell, self.size) for cell in (*self.stones[:first], *sorted(self.stones[first:]))]
        lines = [*self.position.rows(), f"seat {self.seat}: {','.join(stones) or 'to move'}",
                 f"turns: {self.plies} of {self.cap}"]
        if self.position.unseen:
            lines.append(f"facts: {','.join(map(str, self.position.unseen))}")
        if earlier := getattr(self.position, "history", None):
            lines.append(f"earlier boards: {sha256(b''.join(sorted(earlier))).hexdigest()}")
        return "\n".join(lines)

    def after(self, action: int) -> Self:
        """Return the state after an action. Raises IllegalAction."""
        if action not in self.legal:
            raise self.refusal(action)
        if action == end_turn(self.size):
            return self._finished(self.stones)
        step = step_of(action, self.size)
        stones = (*self.stones, step)
        if step < 0:
            return self._finished(stones)
        steps = self.position.steps(stones)
        return replace(self, stones=stones, steps=steps) if steps.next else self._finished(stones)

    def _finished(self, turn: Turn) -> Self:
        position = self.position.after(turn)
        return replace(self, position=position, stones=(), steps=position.steps(), plies=self.plies + 1)

    def refusal(self, action: int, game: int = 0) -> IllegalAction:
        """Return the error for an action that is not legal; it names the action, the cell and the rule."""
        if not 0 <= action < action_count(self.size):
            board, last = f"{self.size}×{self.size} board", action_count(self.size) - 1
            return IllegalAction(game, action, None, "no action",
                                 IllegalTurn("action", f"the {board} has actions 0 to {last}"))
        cell = action if action < end_turn(self.size) else None
        return IllegalAction(game, action, cell, action_name(action, self.size), self._reason(action))

    def _reason(self, action: int) -> IllegalTurn:
        if self.truncated:
            return IllegalTurn("over", f"the game is over: it was cut off after {self.cap} turns")
        step = step_of(action, self.size)
        if step < 0 and self.stones:
            return IllegalTurn("building", "the turn already has stones, so it can only continue or end")
        try:
            self.position.check(self.stones if action == end_turn(self.size) else (*self.stones, step))
        except IllegalTurn as refusal:
            return refusal
        return IllegalTurn(ORDER, "the turn can have this stone only before the last one", step)
