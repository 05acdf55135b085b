"""Estimates the value of a leaf of the search tree by completing the board at random many times."""

from random import Random
from typing import ClassVar, Final, Protocol

from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.experts import estimator_class


class Sample(Protocol):
    """Random completions of one position.

    `value` is the winning chance, from 0 to 1, of the seat to move; `playouts` is the number of completions.
    """

    @property
    def value(self) -> float:
        """The share of completions won by the seat to move; a draw counts half."""

    @property
    def playouts(self) -> int:
        """The number of completions."""

    def after(self, steps: tuple[int, ...]) -> list[float]:
        """Return for each step the seat's chance in the completions in which it has the step's cell."""


# Leaves per turn for `searcher-1`, `searcher-2` and `searcher-3`: each beats the previous one by two to one or better.
ANCHORS: Final = (40, 160, 640)


class Estimator(Protocol):
    """Completes positions of one ruleset. `anchors` are the leaves per turn of the searchers with fixed strengths."""

    anchors: ClassVar[tuple[int, int, int]]

    def sample(self, position: Position, partial: Turn, rng: Random) -> Sample:
        """Return random completions after the stones in `partial`."""


def estimator_for(slug: str) -> Estimator:
    """Return the ruleset's estimator, or the general one. Loads only the modules that the ruleset needs."""
    estimator: Estimator = estimator_class(slug)()
    return estimator
