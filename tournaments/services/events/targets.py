"""Targets of precision events, judged against their limits before anything is stored."""

import math
from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext

from tournaments.formats import registry
from tournaments.models.events import TARGETS
from tournaments.services.events.regulations import EventRefused

MOST_MATCHES: Final = 500_000
MOST_HOURS: Final = 10_000
MOST_ELO: Final = 1000
MOST_FIRST: Final = 100
# Elo of a standard error after one game between equals without draws: 800 / ln 10. Draws make it smaller, but their
# number is not known before the start, so that half of it is the least that an organiser is promised.
_PER_GAME: Final = 800.0 / math.log(10.0)
_Z95: Final = 1.96


def check_target(format: str, cycles: int, target: str, target_value: int | None,  # noqa: A002 - as in the API
                 max_matches: int | None, max_hours: int | None) -> dict[str, Any]:
    """Return the target as the row stores it. Raises EventRefused for one that is incomplete or out of range."""
    form = registry.find(format)
    given = {"target": target, "target_value": target_value, "max_matches": max_matches, "max_hours": max_hours}
    if not form.takes_target:
        if named := [name for name, value in given.items() if value not in ("", None)]:
            raise EventRefused(gettext("The format %(format)s has no target: leave %(names)s empty, or choose the "
                                       "format Precision."), format=gettext(form.name), names=", ".join(named))
        return given
    known = [name for name, _ in TARGETS]
    if target not in known:
        raise EventRefused(gettext("A precision event needs a target, not %(target)r: choose from %(values)s."),
                           target=target, values=", ".join(known))
    if cycles != 1:
        raise EventRefused(gettext("A precision event decides itself how often each pair meets: set the matches per "
                                   "pairing to 1, not %(cycles)s."), cycles=cycles)
    most = MOST_ELO if target == "ratings" else MOST_FIRST
    for name, value, largest in (("target_value", target_value, most), ("max_matches", max_matches, MOST_MATCHES),
                                 ("max_hours", max_hours, MOST_HOURS)):
        if value is None and name == "max_hours":
            continue
        if value is None or not 1 <= value <= largest:
            raise EventRefused(gettext("A precision event needs a %(name)s from 1 to %(largest)s, not %(value)s."),
                               name=name, largest=largest, value=gettext("none") if value is None else value)
    return given


def check_within_reach(facts: Mapping[str, Any], entrants: int) -> None:
    """Raise EventRefused for a target that the limit of matches cannot reach with these entrants.

    Before there are any, two are assumed.
    """
    target, value, most = facts["target"], facts["target_value"], facts["max_matches"]
    if not target:
        return
    if target == "first" and entrants and value >= entrants:
        raise EventRefused(gettext(
            "Target value: the first %(value)s cannot be separated from the rest, because there are only %(entrants)s "
            "entrants: choose at most %(most)s."), value=value, entrants=entrants, most=entrants - 1)
    if target == "ratings" and (needed := matches_for(value, max(entrants, 2))) > most:
        raise EventRefused(gettext(
            "Target value: ±%(value)s Elo for %(entrants)s entrants needs at least %(needed)s matches even with "
            "many draws, but the limit of matches is %(most)s: raise the limit to that, or choose ±%(reached)s Elo or "
            "more."),
            value=value, entrants=max(entrants, 2), needed=needed, most=most,
            reached=math.ceil(value * math.sqrt(needed / most)))


def matches_for(half_width: int, entrants: int) -> int:
    """Return the fewest matches, of two games, with which every interval can be ±`half_width` Elo.

    With n equals and g games per entrant, the variance around the mean is (2/g)·σ²·(n − 1)/n·½, σ being the standard
    error of one game; half of σ is taken, as for bots that draw three games of four.
    """
    sigma = _PER_GAME / 2.0
    games = (_Z95 * sigma / half_width) ** 2 * ((entrants - 1) / entrants) ** 2
    return max(1, math.ceil(games * entrants / 4))
