"""The rulesets: their slugs, names, sizes and rules.

>>> slugs()
('scware', 'ooscg-w', 'squ', 'square-grid-hex', 'squaresquared')
>>> names()["square-grid-hex"]
'Square Grid Hex'
>>> sizes("squ")
(4, 6, 8, 10, 12, 14, 16, 18)
>>> ruleset = find("square-grid-hex")
>>> ruleset.version, ruleset.colours, ruleset.default_size
(1, ('black', 'white'), 11)
"""

from typing import Any

from engines.rules.registry import RULESETS, UnknownRuleset
from engines.rules.registry import find as _find
from engines.rules.ruleset import Ruleset

__all__ = ["Ruleset", "UnknownRuleset", "find", "names", "sizes", "slugs"]


def slugs() -> tuple[str, ...]:
    """Return the short names by which functions and files refer to rulesets."""
    return tuple(RULESETS)


def names() -> dict[str, str]:
    """Return the names of the games by slug."""
    return {slug: ruleset.name for slug, ruleset in RULESETS.items()}


def find(slug: str) -> Ruleset:
    """Return a ruleset: the subclass of `squarefield.Position` with its rules. Raises UnknownRuleset.

    >>> find("square-grid-hex").setup(["...", ".12", "..."]).play("c1").rows()
    ['...', '.12', '..1']
    >>> find("chess")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
        ...
    UnknownRuleset: unknown ruleset 'chess': choose from scware, ooscg-w, squ, square-grid-hex, squaresquared
    """
    return _find(slug)


def sizes(slug: str) -> tuple[int, ...]:
    """Return the numbers of cells per side on which the ruleset is played. Raises UnknownRuleset."""
    return tuple(find(slug).sizes)


def __getattr__(name: str) -> Any:
    """Return a ruleset by the name of its class, such as `Squ`, which pickles of its positions contain."""
    for ruleset in RULESETS.values():
        if ruleset.__name__ == name:
            return ruleset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
