"""Recurring events: a series announces its next event when the start of the last one has come."""

import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice, pairwise
from secrets import randbits
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext

from tournaments.formats import registry
from tournaments.models import Event, Invitation, Ladder, Series, Version
from tournaments.models.lifecycle import SPOKEN_VERBS, Seeding
from tournaments.platform.refusals import Refused
from tournaments.selectors.events import permissions
from tournaments.selectors.events.events import unannounced
from tournaments.selectors.events.permissions import refuse_stranger
from tournaments.selectors.shared.permissions import refuse_banned
from tournaments.services.events import books, leagues
from tournaments.services.events.regulations import REGULATIONS, check_regulations
from tournaments.services.events.scheduling import check_format, check_start, check_text, create_event
from tournaments.services.events.targets import check_target
from tournaments.services.shared import audit
from tournaments.services.shared.failures import each
from tournaments.services.shared.slugs import free_slug
from tournaments.services.shared.wakeups import Step, wake

log = logging.getLogger(__name__)
# Its events add the date and time of their start, and an event's name must have room for these.
LONGEST_NAME: Final = 60
_CRON_FIELDS: Final = 5
_COPIED: Final = ("format", "cycles", "swiss_rounds", "seeding", "tie_breaks", "openings", "rated", "private",
                  "target", "target_value", "max_matches", "max_hours", "description", *REGULATIONS)
# A week in which the clocks go forward is an hour shorter.
_SHORTEST_WEEK: Final = timedelta(days=7, hours=-1)
# Times of a schedule that are looked at to find two in one week: more than a schedule has in a year of weeks.
_LOOKED_AT: Final = 60


class SeriesRefused(Refused):
    """The times or time zone are invalid, or the state of the series does not permit the verb."""


def create_series(
    *, name: str, ladder: Ladder, cron: str, time_zone: str = "UTC", created_by: AbstractBaseUser, now: datetime,
    enter_ladder: bool = False, format: str = registry.DEFAULT,  # noqa: A002 - the name in the tables
    cycles: int = 1, swiss_rounds: int | None = None, seeding: str = Seeding.RATING, tie_breaks: Sequence[str] = (),
    openings: bool = True, rated: bool | None = None, private: bool = False, max_entries: int | None = None,
    target: str = "", target_value: int | None = None, max_matches: int | None = None, max_hours: int | None = None,
    description: str = "", book: str = "", starts_at: datetime | None = None, versions: Sequence[Version] = (),
    division_size: int | None = None, division_moves: int | None = None, **regulations: Any,
) -> Series:
    """Create a series and announce its first event. `cron` is in the time zone `time_zone`, an IANA name.

    With `division_size` and `division_moves`, it is a league: each event is a season, and divides when it starts.
    No event starts before `starts_at`. `versions` are entered in the first event. Otherwise the arguments are those of
    `create_event`. Users who are not site organisers can have a few weekly series. Raises SeriesRefused, EventRefused,
    BookRefused, OverEventQuota, Forbidden.
    """
    organiser = permissions.is_site_organiser(created_by, "add")
    refuse_banned(user=created_by)
    facts = check_format(format=format, cycles=cycles, swiss_rounds=swiss_rounds, seeding=seeding,
                         tie_breaks=tie_breaks, max_entries=max_entries)
    facts |= check_regulations(format, **regulations)
    facts |= check_target(format, cycles, target, target_value, max_matches, max_hours)
    form = registry.find(format)
    if form.has_runners:
        raise SeriesRefused(gettext(
            "An event of the format %(format)s names its runners, so it cannot recur: schedule each one separately."),
            format=gettext(form.name))
    facts |= leagues.check_divisions(format, division_size, division_moves, max_entries)
    title = check_text(name, description, longest=LONGEST_NAME if division_size is None else leagues.LONGEST_NAME)
    first = next_time(cron, time_zone, now if starts_at is None else check_start(starts_at, now) - timedelta(seconds=1))
    if not organiser:
        permissions.refuse_for_organisers(rated=rated, enter_ladder=enter_ladder, league=division_size is not None)
        permissions.refuse_long(cycles, max_matches)
        refuse_frequent(cron, time_zone, now)
    lines = books.judged(book, ladder, openings=openings)
    with transaction.atomic():
        # This holds the lock on slugs, which also keeps two series at once from exceeding the user's limit.
        slug = free_slug(Series, title, "series")
        if not organiser:
            permissions.refuse_another_series(created_by)
        series = Series.objects.create(
            slug=slug, name=title, description=description.strip(), ladder=ladder, cron=cron.strip(),
            time_zone=time_zone, enter_ladder=enter_ladder, openings=openings,
            rated=organiser if rated is None else rated, private=private, next_run_at=first, created_by=created_by,
            created_at=now, book=books.store(lines, ladder, created_by, now), **facts)
        audit.record(actor=created_by, verb="create", target=series, now=now, cron=series.cron, time_zone=time_zone)
        announce_next(series=series, now=now, versions=versions)
    series.refresh_from_db()
    return series


def pause_series(*, series: Series, now: datetime, actor: Any = None) -> Series:
    """Announce no more events until the series is resumed; announced ones stay. Raises SeriesRefused, Forbidden."""
    refuse_stranger(actor, series)
    return _change(series, "pause", actor, now, wanted=True, active=False)


def resume_series(*, series: Series, now: datetime, actor: Any = None) -> Series:
    """Resume with the next time to come; times missed in the pause are skipped. Raises SeriesRefused, Forbidden."""
    refuse_stranger(actor, series)
    refuse_banned(user=actor)
    latest = series.events.order_by("-starts_at").values_list("starts_at", flat=True).first() or now
    return _change(series, "resume", actor, now, wanted=False, active=True,
                   next_run_at=next_time(series.cron, series.time_zone, max(now, latest)))


def end_series(*, series: Series, now: datetime, actor: Any = None) -> Series:
    """Announce no more events, permanently; announced ones stay and can be cancelled.

    Raises SeriesRefused, Forbidden.
    """
    refuse_stranger(actor, series)
    return _change(series, "end", actor, now, wanted=None, active=False, next_run_at=None)


def announce_due(now: datetime) -> int:
    """Announce the next event of every active series whose last event has reached its start; return how many."""
    due = unannounced(now).filter(in_season=False)
    return each("announce events", due.select_related("ladder", "created_by"), partial(_announce, now=now), now=now)


def announce_next(*, series: Series, now: datetime, versions: Sequence[Version] = ()) -> Event | None:
    """Create the next event, open for entries at once; return None if another process has created it.

    Times that passed while no coordinator ran are skipped. Users who were invited to the last event of a private series
    are invited again.
    """
    seen = series.next_run_at
    if seen is None:
        return None
    start = seen if seen > now else next_time(series.cron, series.time_zone, now)
    with transaction.atomic():
        # Of several processes that announce it, only the one whose UPDATE still finds the time that it has read
        # succeeds.
        if not Series.objects.filter(pk=series.pk, active=True, next_run_at=seen).update(
                next_run_at=next_time(series.cron, series.time_zone, start)):
            return None
        local = start.astimezone(ZoneInfo(series.time_zone))
        if not permissions.is_site_organiser(series.created_by, "add"):
            permissions.refuse_for_organisers(rated=series.rated, enter_ladder=series.enter_ladder)
            refuse_frequent(series.cron, series.time_zone, now)
        last = series.events.order_by("-starts_at", "division").first()
        event = create_event(
            name=f"{series.name} {local:%Y-%m-%d %H:%M}", ladder=series.ladder, starts_at=start, now=now,
            created_by=series.created_by, seed=randbits(63), registration_opens_at=now, series=series,
            versions=versions, max_entries=leagues.most_entries(series),
            **{name: getattr(series, name) for name in _COPIED})
        if series.private and last is not None:
            Invitation.objects.bulk_create(Invitation(event=event, user_id=user, created_at=now) for user in
                                           last.invitations.values_list("user", flat=True))
        leagues.enter_members(event, now)
        return event


def _announce(series: Series, *, now: datetime) -> bool:
    try:
        event = announce_next(series=series, now=now)
    except permissions.TooManyEvents:
        # It is announced once one of its organiser's events is over.
        return False
    except Refused as refusal:
        # Its organiser was banned or is no longer on the staff: it would be refused at every step.
        pause_series(series=series, now=now)
        log.warning("series %s paused: %s", series.slug, refusal)
        return False
    if event is not None:
        log.info("event %s announced", event.slug)
    return event is not None


def next_time(cron: str, time_zone: str, after: datetime) -> datetime:
    """Return the expression's first time after `after`, in UTC. Raises SeriesRefused."""
    try:
        return next(_times(cron, time_zone, after))
    except SeriesRefused:
        raise
    except (CronSimError, ValueError) as error:
        raise SeriesRefused(gettext(
            "The times %(cron)r are invalid: %(error)s."), cron=cron, error=str(error).lower()) from None
    except StopIteration:
        raise SeriesRefused(gettext("The times %(cron)r never occur: choose others."), cron=cron) from None


def refuse_frequent(cron: str, time_zone: str, now: datetime) -> None:
    """Raise OverEventQuota for a schedule, which must be valid, that has two times in one week."""
    if any(later - earlier < _SHORTEST_WEEK for earlier, later in
           pairwise(islice(_times(cron, time_zone, now), _LOOKED_AT))):
        raise permissions.OverEventQuota(gettext(
            "Your series can have one event per week: choose one day of the week and one time, such as 0 18 * * FRI."))


def _times(cron: str, time_zone: str, after: datetime) -> Iterator[datetime]:
    """Yield the expression's times after `after`. Raises SeriesRefused, CronSimError, ValueError."""
    try:
        zone = ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SeriesRefused(gettext(
            "Unknown time zone %(time_zone)r: use a name such as Europe/Berlin or UTC."), time_zone=time_zone) from None
    fields = cron.split()
    if len(fields) != _CRON_FIELDS:
        raise SeriesRefused(gettext(
            "The times must have five fields (minute, hour, day of month, month, day of week), such as 0 18 * * FRI, "
            "not %(count)s."), count=len(fields))
    for at in CronSim(cron, after.astimezone(zone)):
        yield at.astimezone(UTC)


def _change(series: Series, verb: str, actor: Any, now: datetime, *, wanted: bool | None, **facts: Any) -> Series:
    """Update a series that has not ended and is active as `wanted`, by one conditional UPDATE."""
    with transaction.atomic():
        found = Series.objects.filter(pk=series.pk, next_run_at__isnull=False)
        if wanted is not None:
            found = found.filter(active=wanted)
        changed = found.update(**facts)
        series.refresh_from_db()
        if not changed:
            state = (gettext("ended") if series.next_run_at is None else
                     gettext("active") if series.active else gettext("paused"))
            raise SeriesRefused(gettext(
                "%(series)s is %(state)s: you cannot %(verb)s it now."), series=series.name, state=state,
                verb=SPOKEN_VERBS[verb])
        audit.record(actor=actor, verb=verb, target=series, now=now)
        wake(Step.ANNOUNCE_EVENTS)
    return series
