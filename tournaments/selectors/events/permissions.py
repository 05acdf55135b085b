"""Permissions for holding events and for managing existing ones, and the limits for users who are not organisers."""

from typing import Any, Final

from django.contrib.auth import get_permission_codename
from django.db.models import Count
from django.utils.translation import gettext

from tournaments.models import Event, Series
from tournaments.models.lifecycle import EventStatus
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden

# Limits for users who are not site organisers: events and series at a time, and the size of each event. 64 entrants
# with 10 matches per pairing play about MOST_MATCHES matches in a round-robin.
OPEN_EVENTS: Final = 5
OPEN_SERIES: Final = 2
MOST_ENTRIES: Final = 64
MOST_CYCLES: Final = 10
MOST_MATCHES: Final = 20_000
OPEN: Final = (EventStatus.SCHEDULED, EventStatus.RUNNING, EventStatus.PAUSED)


class OverEventQuota(Refused):
    """More or larger events than a user who is not a site organiser may hold."""


class TooManyEvents(OverEventQuota):
    """As many events that are not over as a user who is not a site organiser may hold."""


def is_site_organiser(user: Any, right: str = "change") -> bool:
    """Return whether the user is a site organiser: staff with Django's permission to add or change events."""
    return user.is_authenticated and user.is_staff and user.has_perm(
        f"tournaments.{get_permission_codename(right, Event._meta)}")  # noqa: SLF001 - documented Django API


def organises(user: Any, what: Event | Series) -> bool:
    """Return whether this user may manage the event or series and invite to it: its creator, site organisers."""
    return user.is_authenticated and (what.created_by_id == user.pk or is_site_organiser(user))


def refuse_stranger(actor: Any, what: Event | Series) -> None:
    """Raise Forbidden unless the actor organises it; None is the service itself, which may do everything."""
    if actor is not None and not organises(actor, what):
        raise Forbidden(gettext(
            "Only its organiser, %(created_by)s, and the site's organisers can manage %(what)s."),
            created_by=what.created_by, what=what)


def refuse_over_quota(user: Any, *, cycles: int, max_matches: int | None) -> None:
    """Raise OverEventQuota if the user holds too many events or asks for too long ones."""
    held = events_held(user)[user.pk]
    if held >= OPEN_EVENTS:
        raise TooManyEvents(gettext(
            "You hold %(held)s events that are not over, but at most %(open_events)s are allowed: cancel one, or "
            "wait until one has finished."), held=held, open_events=OPEN_EVENTS)
    refuse_long(cycles, max_matches)


def events_held(*users: Any) -> dict[int, int]:
    """Return the number of events that are not over, by the ID of the user that holds them."""
    held = Event.objects.filter(created_by__in=users, status__in=OPEN).order_by().values("created_by")
    return {user.pk: 0 for user in users} | dict(held.annotate(held=Count("id")).values_list("created_by", "held"))


def refuse_long(cycles: int, max_matches: int | None = None) -> None:
    """Raise OverEventQuota for more cycles or matches than a user who is not a site organiser may ask for."""
    if cycles > MOST_CYCLES:
        raise OverEventQuota(gettext(
            "Your events can have at most %(most_cycles)s matches per pairing, not %(cycles)s."),
            most_cycles=MOST_CYCLES, cycles=cycles)
    if max_matches is not None and max_matches > MOST_MATCHES:
        raise OverEventQuota(gettext(
            "Your events can have at most %(most_matches)s matches, not %(max_matches)s: reduce the limit."),
            most_matches=MOST_MATCHES, max_matches=max_matches)


def refuse_another_series(user: Any) -> None:
    """Raise OverEventQuota if the user holds as many series as one who is not a site organiser may."""
    held = Series.objects.filter(created_by=user, next_run_at__isnull=False).count()
    if held >= OPEN_SERIES:
        raise OverEventQuota(gettext(
            "You hold %(held)s series that have not ended, but at most %(open_series)s are allowed: end one."),
            held=held, open_series=OPEN_SERIES)


def refuse_for_organisers(*, rated: bool | None, enter_ladder: bool = False, league: bool = False) -> None:
    """Raise Forbidden for options that only site organisers may choose."""
    if rated:
        raise Forbidden(gettext("Only the site's organisers can hold rated events: make yours unrated."))
    if enter_ladder:
        raise Forbidden(gettext("Only the site's organisers can enter all bots of a ladder: let their authors enter "
                                "them."))
    if league:
        raise Forbidden(gettext("Only the site's organisers can hold a league, whose seasons have several events: "
                                "leave the divisions empty."))
