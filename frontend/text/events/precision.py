"""Texts of precision events: the target, and why an event stopped."""

from typing import Final

from django.utils.translation import gettext, gettext_lazy

from tournaments.formats.precision.stopping import ENTRANTS, HOURS, MATCHES, REPEATS, TARGET
from tournaments.models import Event

_STOPPED: Final = {
    TARGET: gettext_lazy("The event stopped because the target was met."),
    MATCHES: gettext_lazy("The event stopped at its limit of matches, before the target was met."),
    HOURS: gettext_lazy("The event stopped at its limit of hours, before the target was met."),
    REPEATS: gettext_lazy("The event stopped because the last matches only repeated earlier ones turn by turn, so more "
                          "matches tell nothing new."),
    ENTRANTS: gettext_lazy("The event stopped because fewer than two entrants were left."),
}


def target(event: Event) -> str:
    """The target: "Every rating known to ±20 Elo (95 %)"."""
    if event.target == "ratings":
        return gettext("Every rating known to ±%(value)s Elo (95 %%)") % {"value": event.target_value}
    if event.target_value == 1:
        return gettext("The first place separated from the rest, with at most 5 %% error").replace("%%", "%")
    return gettext("The first %(value)s places separated from one another and from the rest, with at most 5 %% "
                   "error") % {"value": event.target_value}


def limits(event: Event) -> str:
    """The limits: "at most 500 matches and 12 hours"."""
    if event.max_hours is None:
        return gettext("at most %(matches)s matches") % {"matches": event.max_matches}
    return gettext("at most %(matches)s matches and %(hours)s hours") % {
        "matches": event.max_matches, "hours": event.max_hours}


def rules(event: Event) -> str:
    """How the event is played."""
    return gettext("%(target)s; %(limits)s. After each batch, the site checks the target and pairs the matches that "
                   "tell most about it. The table is ordered by rating.") % {
        "target": target(event), "limits": limits(event)}


def stopped(reason: str | None) -> str:
    """Why the event stopped; empty while it goes on."""
    return "" if reason is None else str(_STOPPED[reason])
