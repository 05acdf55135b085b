"""The rulesets on offer: the one line that a new ruleset adds outside its own file."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engines.ruleset import Position, Ruleset
from engines.rulesets.ooscg_w import OoscgW
from engines.rulesets.scware import Scware
from engines.rulesets.squ import Squ
from engines.rulesets.square_grid_hex import SquareGridHex
from engines.rulesets.squaresquared import SquareSquared

_ALL: Final[tuple[type[Position], ...]] = (
    Scware,
    OoscgW,
    Squ,
    SquareGridHex,
    SquareSquared,
)

RULESETS: Final[Mapping[str, Ruleset]] = MappingProxyType({ruleset.slug: ruleset for ruleset in _ALL})


class UnknownRuleset(LookupError):
    """There is no ruleset of that name."""


def find(slug: str) -> Ruleset:
    """The ruleset with this slug. Raises UnknownRuleset, which lists the known ones."""
    try:
        return RULESETS[slug]
    except KeyError:
        raise UnknownRuleset(f"there is no ruleset {slug!r}; there are {', '.join(RULESETS)}") from None
