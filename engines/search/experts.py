"""The evaluator and the estimator of each ruleset: a game with its own evaluation needs one line here.

A ruleset that is not listed is searched by its rules alone.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

# Module and class of the `Evaluator` and of the `Estimator`. These are names, not imports, because a bot plays one game
# and each import takes 2 ms.
_HERE: Final = "engines.search"
_EXPERTS: Final[Mapping[str, tuple[str, str]]] = {
    "scware": (f"{_HERE}.games.scware:ScwareJudge", f"{_HERE}.games.path_fills:PathFills"),
    "ooscg-w": (f"{_HERE}.games.connection:ConnectionJudge", f"{_HERE}.games.path_fills:PathFills"),
    "squ": (f"{_HERE}.games.squares:SquaresJudge", f"{_HERE}.games.square_fills:SquareFills"),
    "square-grid-hex": (f"{_HERE}.games.connection:HexJudge", f"{_HERE}.games.path_fills:HexFills"),
    "squaresquared": (f"{_HERE}.games.edges:EdgesJudge", f"{_HERE}.games.go_playouts:GoPlayouts"),
}
_GENERAL: Final = (f"{_HERE}.general:GeneralJudge", f"{_HERE}.general:Playouts")


def judge_class(slug: str) -> Callable[[], Any]:
    """Return the class of the ruleset's `Evaluator`."""
    return _load(_EXPERTS.get(slug, _GENERAL)[0])


def estimator_class(slug: str) -> Callable[[], Any]:
    """Return the class of the ruleset's `Estimator`."""
    return _load(_EXPERTS.get(slug, _GENERAL)[1])


def _load(place: str) -> Callable[[], Any]:
    module, _, name = place.partition(":")
    found: Callable[[], Any] = getattr(import_module(module), name)
    return found
