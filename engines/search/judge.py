"""What a bot that looks one turn ahead must judge."""

from typing import NamedTuple, Protocol

from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.experts import judge_class


class StaticEvaluation(NamedTuple):
    """What is seen of a position without looking ahead, by the seat to move.

    `chance` is its chance to win, from 0 to 1, None where the judge has no opinion; `wins` that it
    certainly wins at once.
    """

    chance: float | None = None
    wins: bool = False


class Evaluator(Protocol):
    """An opinion about one ruleset's positions, made for speed and not for truth."""

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        """How promising each step is after the stones in `partial`: 0 for useless, in no fixed unit."""

    def glance(self, position: Position, partial: Turn) -> StaticEvaluation:
        """What is seen at once after the stones in `partial`. The game is not over."""

    def rate(self, position: Position, seat: int) -> float:
        """How good a position that is not over is for the seat that has just moved."""


# What archives of `greedy` that were uploaded earlier import.
Judge = Evaluator


def judge_for(slug: str) -> Evaluator:
    """The ruleset's judge, or the one for any game. Loads only what the ruleset needs."""
    judge: Evaluator = judge_class(slug)()
    return judge
