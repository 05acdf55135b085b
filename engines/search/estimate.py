"""What a leaf of the search tree is worth, found by completing the board at random many times."""

from random import Random
from typing import ClassVar, Final, Protocol

from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.experts import estimator_class


class Sample(Protocol):
    """Random completions of one position.

    `value` is the chance, from 0 to 1, of the seat to move; `playouts` is how many completions this rests on.
    """

    @property
    def value(self) -> float:
        """The share of the completions that the seat to move wins, a draw as half."""

    @property
    def playouts(self) -> int:
        """How many completions there are."""

    def after(self, steps: tuple[int, ...]) -> list[float]:
        """For each step, the seat's chance in the completions that have the step's cell for it."""


# The leaves for a turn of `searcher-1`, `searcher-2` and `searcher-3`: each beats the one before two to one or better.
ANCHORS: Final = (40, 160, 640)


class Estimator(Protocol):
    """Completes positions of one ruleset. `anchors` are the leaves for a turn of the searchers of fixed strength."""

    anchors: ClassVar[tuple[int, int, int]]

    def sample(self, position: Position, partial: Turn, rng: Random) -> Sample:
        """The completions after the stones in `partial`."""


def estimator_for(slug: str) -> Estimator:
    """The ruleset's estimator, or the one for any game. Loads only what the ruleset needs."""
    estimator: Estimator = estimator_class(slug)()
    return estimator
