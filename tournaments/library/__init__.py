"""Rules, referee, records and ratings of five abstract games on square boards.

>>> import squarefield
>>> position = squarefield.start("square-grid-hex", 5).play("c3")
>>> print(position.text())
   a b c d e
 5 . . . . . 5
 4 . . . . . 4
 3 . . X . . 3
 2 . . . . . 2
 1 . . . . . 1
   a b c d e
>>> [position.format(turn) for turn in position.legal_turns()][:4]
['swap', 'a1', 'b1', 'c1']

The modules are `rulesets`, `referee`, `records`, `ratings`, `sdk` (for bots), and, if their extras are installed, `env`
and `native`. They are imported when they are first used. The names in `squarefield._core` are not part of the API.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from engines.version import VERSION

if TYPE_CHECKING:
    from engines.rules.errors import IllegalTurn, NotationError, TurnError
    from engines.rules.notation import Turn
    from engines.rules.outcome import Outcome
    from engines.rules.ruleset import Position, Ruleset, SetupError
    from tournaments.library import ratings, records, referee, rulesets, sdk

__version__: Final = VERSION
__all__ = [
    "IllegalTurn", "NotationError", "Outcome", "Position", "Ruleset", "SetupError", "Turn", "TurnError", "__version__",
    "ratings", "records", "referee", "rulesets", "sdk", "start",
]
_MODULES: Final = frozenset({"env", "native", "ratings", "records", "referee", "rulesets", "sdk"})
_PLACES: Final = {
    "IllegalTurn": "engines.rules.errors",
    "NotationError": "engines.rules.errors",
    "Outcome": "engines.rules.outcome",
    "Position": "engines.rules.ruleset",
    "Ruleset": "engines.rules.ruleset",
    "SetupError": "engines.rules.ruleset",
    "Turn": "engines.rules.notation",
    "TurnError": "engines.rules.errors",
}


def start(ruleset: str, size: int | None = None) -> "Position":
    """Return the position before the first turn, on the ruleset's default size or another one.

    Raises UnknownRuleset or SetupError, which say what there is.

    >>> start("squ").size
    8
    """
    from engines.rules.registry import find
    return find(ruleset).start(size)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: a bot's process starts again for every game."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _PLACES:
        found = getattr(import_module(_PLACES[name]), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
