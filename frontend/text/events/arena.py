"""Texts of arenas: the rules, and the time left."""

from datetime import datetime, timedelta

from django.utils.translation import gettext, ngettext

from tournaments.models import Event
from tournaments.models.lifecycle import EventStatus


def rules(event: Event) -> str:
    """How the event is played."""
    said = [ngettext("The arena pairs its entrants for %(count)s minute.",
                     "The arena pairs its entrants for %(count)s minutes.", event.minutes) % {"count": event.minutes},
            gettext("Each entrant whose match has ended soon meets another of similar standing, but not the same one "
                    "twice in a row while another can play. A won match counts 2 points, a level one 1. Matches that "
                    "are open at the end are finished and count.")]
    if event.streaks:
        said.append(gettext("After two wins in a row, points are doubled until a match is not won."))
    return " ".join(said)


def time_left(event: Event, now: datetime) -> str:
    """How long entrants are still paired."""
    if event.started_at is None or event.status in (EventStatus.FINISHED, EventStatus.CANCELLED):
        return ""
    left = event.started_at + timedelta(minutes=event.minutes) - now
    if left <= timedelta(0):
        return gettext("The time is over: open matches are finished.")
    minutes = max(1, round(left.total_seconds() / 60))
    return ngettext("%(count)s minute left", "%(count)s minutes left", minutes) % {"count": minutes}
