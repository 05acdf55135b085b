"""The registry of rulesets: a new ruleset needs one line here, in addition to its own file."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from engines.public import public
from engines.rules.notation import did_you_mean
from engines.rules.ruleset import Ruleset

# Module and class by slug. These are names, not imports, because a bot plays one game and each import takes 2 ms.
_PLACES: Final = {
    "scware": "engines.rules.games.scware:Scware",
    "ooscg-w": "engines.rules.games.ooscg_w:OoscgW",
    "squ": "engines.rules.games.squ:Squ",
    "square-grid-hex": "engines.rules.games.square_grid_hex:SquareGridHex",
    "squaresquared": "engines.rules.games.squaresquared:SquareSquared",
}


class _Registry(Mapping[str, Ruleset]):
    """A mapping from slugs to rulesets, which are imported on access."""

    def __getitem__(self, slug: str) -> Ruleset:
        module, _, name = _PLACES[slug].partition(":")
        ruleset: Ruleset = getattr(import_module(module), name)
        return ruleset

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


RULESETS: Final[Mapping[str, Ruleset]] = _Registry()


def versions() -> dict[str, int]:
    """Return the version of each ruleset's rules."""
    return {slug: ruleset.version for slug, ruleset in RULESETS.items()}


@public("squarefield.rulesets")
class UnknownRuleset(LookupError):
    """No ruleset has this slug."""


def find(slug: str) -> Ruleset:
    """Return the ruleset with this slug. Raises UnknownRuleset, which lists the available ones."""
    if slug not in _PLACES:
        raise UnknownRuleset(f"unknown ruleset {slug!r}: choose from {', '.join(_PLACES)}"
                             f"{did_you_mean(str(slug), _PLACES)}")
    return RULESETS[slug]
