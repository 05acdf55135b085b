"""What a leaf of the search tree is worth, found by completing the board at random many times."""

from random import Random
from typing import Protocol

from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.judge import NotSearched


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


class Estimator(Protocol):
    """Completes positions of one ruleset."""

    def sample(self, position: Position, partial: Turn, rng: Random) -> Sample:
        """The completions after the stones in `partial`."""


def estimator_for(slug: str) -> Estimator:
    """The ruleset's estimator. Imported by name, so that a bot loads only what it plays. Raises NotSearched."""
    if slug == "squaresquared":
        from engines.search.go_playouts import GoPlayouts
        return GoPlayouts()
    if slug == "squ":
        from engines.search.square_fills import SquareFills
        return SquareFills()
    if slug in ("scware", "ooscg-w", "square-grid-hex"):
        from engines.search.path_fills import PathFills
        return PathFills(hexagonal=slug == "square-grid-hex")
    raise NotSearched(f"no estimator knows the ruleset {slug!r}: "
                      "add one to estimator_for in engines/search/estimate.py")
