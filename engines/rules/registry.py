"""The rulesets on offer: the one line that a new ruleset adds outside its own file."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from engines.rules.ruleset import Ruleset

# Module and class by slug. Names, not imports: a bot plays one game, and each import would cost its start 2 ms.
_PLACES: Final = {
    "scware": "engines.rules.games.scware:Scware",
    "ooscg-w": "engines.rules.games.ooscg_w:OoscgW",
    "squ": "engines.rules.games.squ:Squ",
    "square-grid-hex": "engines.rules.games.square_grid_hex:SquareGridHex",
    "squaresquared": "engines.rules.games.squaresquared:SquareSquared",
}


class _Registry(Mapping[str, Ruleset]):
    """Slug → ruleset, imported when it is asked for."""

    def __getitem__(self, slug: str) -> Ruleset:
        module, _, name = _PLACES[slug].partition(":")
        ruleset: Ruleset = getattr(import_module(module), name)
        return ruleset

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


RULESETS: Final[Mapping[str, Ruleset]] = _Registry()


class UnknownRuleset(LookupError):
    """There is no ruleset of that name."""


def find(slug: str) -> Ruleset:
    """The ruleset with this slug. Raises UnknownRuleset, which lists the known ones."""
    if slug not in _PLACES:
        raise UnknownRuleset(f"there is no ruleset {slug!r}; there are {', '.join(_PLACES)}")
    return RULESETS[slug]
