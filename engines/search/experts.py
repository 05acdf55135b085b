"""Who judges and who completes the positions of each ruleset: the one line of a game with an evaluation of its own.

A ruleset that is not here is searched by its rules alone.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple


class Experts(NamedTuple):
    """A ruleset's `Evaluator` and `Estimator`, by module and class.

    Names, not imports: a bot plays one game, and each import would cost its start 2 ms.
    """

    judge: str
    estimator: str


EXPERTS: Final[Mapping[str, Experts]] = {
    "scware": Experts("engines.search.games.scware:ScwareJudge", "engines.search.games.path_fills:PathFills"),
    "ooscg-w": Experts("engines.search.games.connection:ConnectionJudge", "engines.search.games.path_fills:PathFills"),
    "squ": Experts("engines.search.games.squares:SquaresJudge", "engines.search.games.square_fills:SquareFills"),
    "square-grid-hex": Experts("engines.search.games.connection:HexJudge", "engines.search.games.path_fills:HexFills"),
    "squaresquared": Experts("engines.search.games.edges:EdgesJudge", "engines.search.games.go_playouts:GoPlayouts"),
}
GENERAL: Final = Experts("engines.search.general:GeneralJudge", "engines.search.general:Playouts")


def load(place: str) -> Callable[[], Any]:
    """The class at `module:name`."""
    module, _, name = place.partition(":")
    found: Callable[[], Any] = getattr(import_module(module), name)
    return found
