"""The formats of events, by slug. Pure. To add one, write its module and list its class here."""

from typing import Final

from tournaments.formats.arena import Arena
from tournaments.formats.contract import Format
from tournaments.formats.double_knockout import DoubleKnockout
from tournaments.formats.gauntlet import Gauntlet
from tournaments.formats.knockout import Knockout
from tournaments.formats.precision.format import Precision
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.swiss.accelerated import AcceleratedSwiss
from tournaments.formats.swiss.standard import Swiss

# In the order of forms; the first is the default.
FORMATS: Final[dict[str, Format]] = {
    format_.slug: format_ for format_ in (
        RoundRobin(), Swiss(), AcceleratedSwiss(), Knockout(), DoubleKnockout(), Gauntlet(), Precision(),
        Arena())}
DEFAULT: Final = next(iter(FORMATS))
# For use in queries.
ROUND_BY_ROUND: Final = tuple(slug for slug, format_ in FORMATS.items() if format_.is_round_by_round)
CONTINUOUS: Final = tuple(slug for slug, format_ in FORMATS.items() if format_.is_continuous)
BRACKETS: Final = tuple(slug for slug, format_ in FORMATS.items() if format_.is_bracket)


class UnknownFormat(LookupError):
    """There is no format with that slug."""


def find(slug: str) -> Format:
    """Return the format with this slug. Raises UnknownFormat, which lists the existing ones."""
    if slug not in FORMATS:
        raise UnknownFormat(f"unknown format {slug!r}: choose from {', '.join(FORMATS)}")
    return FORMATS[slug]


def choices() -> list[tuple[str, str]]:
    """Return slugs and names, for form fields."""
    return [(slug, format_.name) for slug, format_ in FORMATS.items()]
