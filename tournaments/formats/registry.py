"""The formats of events, by slug. Pure. To add one, write its module and name its class here."""

from typing import Final

from tournaments.formats.accelerated_swiss import AcceleratedSwiss
from tournaments.formats.contract import Format
from tournaments.formats.double_knockout import DoubleKnockout
from tournaments.formats.gauntlet import Gauntlet
from tournaments.formats.knockout import Knockout
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.swiss import Swiss

# In the order in which forms offer them; the first is the default.
FORMATS: Final[dict[str, Format]] = {
    format_.slug: format_ for format_ in (
        RoundRobin(), Swiss(), AcceleratedSwiss(), Knockout(), DoubleKnockout(), Gauntlet())}
DEFAULT: Final = next(iter(FORMATS))
# For conditions of queries.
ROUND_BY_ROUND: Final = tuple(slug for slug, format_ in FORMATS.items() if format_.is_round_by_round)
BRACKETS: Final = tuple(slug for slug, format_ in FORMATS.items() if format_.is_bracket)


class UnknownFormat(LookupError):
    """There is no format of that name."""


def find(slug: str) -> Format:
    """The format with this slug. Raises UnknownFormat, which lists the known ones."""
    if slug not in FORMATS:
        raise UnknownFormat(f"there is no format {slug!r}; there are {', '.join(FORMATS)}")
    return FORMATS[slug]


def choices() -> list[tuple[str, str]]:
    """Slugs and names, for fields."""
    return [(slug, format_.name) for slug, format_ in FORMATS.items()]
