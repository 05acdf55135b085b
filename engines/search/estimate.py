"""What a leaf of the search tree is worth, found by completing the board at random many times."""

from random import Random
from typing import NamedTuple, Protocol

from engines.notation import Turn
from engines.ruleset import Position


class Estimate(NamedTuple):
    """Chances of the seat to move, from 0 to 1.

    `value` is its chance here; `after[step]` its chance in the completions that had the step's cell
    for it. `playouts` is how many completions this rests on.
    """

    value: float
    after: list[float]
    playouts: int


class Estimator(Protocol):
    """Completes positions of one ruleset."""

    def estimate(self, position: Position, partial: Turn, steps: tuple[int, ...], rng: Random) -> Estimate:
        """The chances after the stones in `partial`, of which `steps` are the possible continuations."""


def estimator_for(slug: str) -> Estimator:
    """The ruleset's estimator. Imported by name, so that a bot loads only what it plays."""
    if slug == "squaresquared":
        from engines.search.go_playouts import GoPlayouts
        return GoPlayouts()
    from engines.search.fills import Fills
    return Fills()
