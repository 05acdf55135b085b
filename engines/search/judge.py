"""The interface of evaluators, which rank steps and rate positions without searching."""

from typing import NamedTuple, Protocol

from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.experts import judge_class


class StaticEvaluation(NamedTuple):
    """An evaluation of a position for the seat to move, without looking ahead.

    `chance` is its chance of winning, from 0 to 1, or None if the evaluator has no opinion. `wins` is true if the seat
    is certain to win with this turn.
    """

    chance: float | None = None
    wins: bool = False


class Evaluator(Protocol):
    """A fast but rough evaluator for the positions of one ruleset."""

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        """Return how promising each step is after the stones in `partial`: 0 for useless, in arbitrary units."""

    def glance(self, position: Position, partial: Turn) -> StaticEvaluation:
        """Return a quick evaluation after the stones in `partial`. The game is not over."""

    def rate(self, position: Position, seat: int) -> float:
        """Return how good a position is for the seat that has just moved. The game is not over."""


# The former name, which earlier uploads of `greedy` import.
Judge = Evaluator


def judge_for(slug: str) -> Evaluator:
    """Return the ruleset's evaluator, or the general one. Loads only the modules that the ruleset needs."""
    judge: Evaluator = judge_class(slug)()
    return judge
