"""Who may hold events, which, and how many; and who may run one that there is."""

from typing import Any, Final

from django.contrib.auth import get_permission_codename
from django.utils.translation import gettext

from tournaments.models import Event, Series
from tournaments.models.lifecycle import EventStatus
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden

# What somebody who is not of the staff may hold: so many events at a time, each of at most this size.
OPEN_EVENTS: Final = 5
MOST_ENTRIES: Final = 64
MOST_CYCLES: Final = 10
OPEN: Final = (EventStatus.SCHEDULED, EventStatus.RUNNING, EventStatus.PAUSED)


class OverEventQuota(Refused):
    """More or larger events than somebody may hold who is not of the site's staff."""


def is_site_organiser(user: Any, right: str = "change") -> bool:
    """Whether this is one of the site's organisers: staff with Django's right to add or change events."""
    return user.is_authenticated and user.is_staff and user.has_perm(
        f"tournaments.{get_permission_codename(right, Event._meta)}")  # noqa: SLF001 - Django's documented way


def organises(user: Any, what: Event | Series) -> bool:
    """Whether this person may pause, resume, cancel and invite to the event or series: its creator, organisers."""
    return user.is_authenticated and (what.created_by_id == user.pk or is_site_organiser(user))


def refuse_stranger(actor: Any, what: Event | Series) -> None:
    """Raise Forbidden unless the actor organises it; the service itself, None, may do everything."""
    if actor is not None and not organises(actor, what):
        raise Forbidden(gettext(
            "Only its organiser, %(created_by)s, and the site's organisers may do this with %(what)s."),
            created_by=what.created_by, what=what)


def refuse_over_quota(user: Any, *, cycles: int) -> None:
    """Raise OverEventQuota when somebody who is not of the staff holds too many events or asks for too long a one."""
    held = Event.objects.filter(created_by=user, status__in=OPEN).count()
    if held >= OPEN_EVENTS:
        raise OverEventQuota(gettext(
            "You hold %(held)s events that are not over, and %(open_events)s are allowed: cancel one, or "
            "wait until one is finished."), held=held, open_events=OPEN_EVENTS)
    refuse_long(cycles)


def refuse_long(cycles: int) -> None:
    """Raise OverEventQuota for more cycles than an event may have that is not of the site's organisers."""
    if cycles > MOST_CYCLES:
        raise OverEventQuota(gettext(
            "Your events have at most %(most_cycles)s matches for each pairing, not %(cycles)s."),
            most_cycles=MOST_CYCLES, cycles=cycles)
