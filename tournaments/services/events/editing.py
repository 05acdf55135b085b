"""Changes to an event that has not started, and to a series: texts, times, limits. Ladder and format stay."""

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext

from tournaments.models import Event, Series
from tournaments.models.lifecycle import EventStatus
from tournaments.selectors.events import permissions
from tournaments.selectors.shared.permissions import refuse_banned
from tournaments.services.events import entries, leagues
from tournaments.services.events.regulations import REGULATIONS, check_regulations
from tournaments.services.events.scheduling import (
    EventRefused,
    check_format,
    check_registration,
    check_size,
    check_start,
    check_text,
)
from tournaments.services.events.series import LONGEST_NAME as LONGEST_SERIES_NAME
from tournaments.services.events.series import SeriesRefused, next_time, refuse_frequent
from tournaments.services.events.targets import check_target, check_within_reach
from tournaments.services.notices import outbox
from tournaments.services.shared import audit
from tournaments.services.shared.wakeups import Step, wake

EDITABLE: Final = ("name", "description", "starts_at", "registration_opens_at", "registration_closes_at", "cycles",
                   "swiss_rounds", "max_entries", "target", "target_value", "max_matches", "max_hours")
SERIES_EDITABLE: Final = ("name", "description", "cron", "time_zone", "cycles", "swiss_rounds", "max_entries", "target",
                          "target_value", "max_matches", "max_hours", *REGULATIONS)
_TIMES: Final = {"starts_at", "registration_opens_at", "registration_closes_at"}


def edit_event(*, event: Event, actor: Any, now: datetime, **changes: Any) -> Event:
    """Change fields of EDITABLE, checked as at creation, and notify the managers of the entered bots.

    Raises EventRefused, OverEventQuota, Forbidden.
    """
    if unknown := changes.keys() - {*EDITABLE}:
        raise TypeError(f"an event's {', '.join(sorted(unknown))} cannot be changed")
    permissions.refuse_stranger(actor, event)
    refuse_banned(user=actor)
    with transaction.atomic():
        event = (Event.objects.select_for_update(of=("self",), no_key=True)
                 .select_related("ladder", "created_by", "series").get(pk=event.pk))
        if event.status != EventStatus.SCHEDULED:
            raise EventRefused(gettext("%(event)s is %(status)s: an event can be changed only before it starts."),
                event=event, status=event.get_status_display().lower())
        before = {name: getattr(event, name) for name in EDITABLE}
        facts = _checked(event, actor, {name: value for name, value in changes.items() if value != before[name]}, now)
        changed = {name: [_plain(before[name]), _plain(value)] for name, value in facts.items()
                   if value != before[name]}
        if changed:
            Event.objects.filter(pk=event.pk).update(revision=F("revision") + 1, **facts)
            event.refresh_from_db()
            audit.record(actor=actor, verb="edit", target=event, now=now, changed=changed)
            wake(Step.ANNOUNCE_EVENTS, Step.START_EVENTS)
            outbox.emit("event.changed", to=entries.entrants_manager_ids(event), now=now, payload={
                "event": event.slug, "name": event.name, "status": event.status, "changed": sorted(changed),
                "starts_at": event.starts_at.isoformat()})
    return event


def edit_series(*, series: Series, actor: Any, now: datetime, **changes: Any) -> Series:
    """Change fields of SERIES_EDITABLE, checked as at creation, for the events that are not announced yet.

    Raises SeriesRefused, EventRefused, OverEventQuota, Forbidden.
    """
    if unknown := changes.keys() - {*SERIES_EDITABLE}:
        raise TypeError(f"a series' {', '.join(sorted(unknown))} cannot be changed")
    permissions.refuse_stranger(actor, series)
    refuse_banned(user=actor)
    with transaction.atomic():
        series = Series.objects.select_for_update(of=("self",), no_key=True).select_related("created_by").get(
            pk=series.pk)
        if series.next_run_at is None:
            raise SeriesRefused(gettext("%(series)s has ended: create another series."), series=series.name)
        before = {name: getattr(series, name) for name in SERIES_EDITABLE}
        facts = _checked_series(series, actor, before | changes, now)
        changed = {name: [before[name], value] for name, value in facts.items() if value != before[name]}
        if changed.keys() & {"cron", "time_zone"}:
            latest = series.events.order_by("-starts_at").values_list("starts_at", flat=True).first() or now
            facts["next_run_at"] = next_time(facts["cron"], facts["time_zone"], max(now, latest))
        if changed:
            Series.objects.filter(pk=series.pk).update(**facts)
            audit.record(actor=actor, verb="edit", target=series, now=now, changed=changed)
            wake(Step.ANNOUNCE_EVENTS)
    series.refresh_from_db()
    return series


def _checked_series(series: Series, actor: Any, new: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Return the new values as the row stores them."""
    next_time(new["cron"], new["time_zone"], now)
    if not permissions.is_site_organiser(actor):
        permissions.refuse_long(new["cycles"], new["max_matches"])
        refuse_frequent(new["cron"], new["time_zone"], now)
    checked = check_format(
        format=series.format, cycles=new["cycles"], swiss_rounds=new["swiss_rounds"], seeding=series.seeding,
        tie_breaks=series.tie_breaks, max_entries=new["max_entries"])
    checked |= leagues.check_entries(series.division_size, new["max_entries"])
    checked |= check_target(series.format, *(new[name] for name in (
        "cycles", "target", "target_value", "max_matches", "max_hours")))
    checked |= check_regulations(series.format, **{name: new[name] for name in REGULATIONS})
    texts = {"name": check_text(new["name"], new["description"], LONGEST_SERIES_NAME),
             "description": new["description"].strip(), "cron": new["cron"].strip(), "time_zone": new["time_zone"]}
    return {name: value for name, value in (checked | texts).items() if name in SERIES_EDITABLE}


def _checked(event: Event, actor: Any, changes: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Return the changes as the row stores them."""
    if not permissions.is_site_organiser(actor):
        if "cycles" in changes:
            permissions.refuse_long(changes["cycles"])
        permissions.refuse_long(1, changes.get("max_matches"))
        if "max_entries" in changes:
            changes["max_entries"] = min(changes["max_entries"] or permissions.MOST_ENTRIES, permissions.MOST_ENTRIES)
    if "max_entries" in changes and event.series is not None:
        changes |= leagues.check_entries(event.series.division_size, changes["max_entries"])
    for name in changes.keys() & {"name", "description"}:
        changes[name] = changes[name].strip()
    if "starts_at" in changes:
        changes["starts_at"] = check_start(changes["starts_at"], now)
        _refuse_taken(event, changes["starts_at"])
    new = {name: getattr(event, name) for name in EDITABLE} | changes
    check_text(new["name"], new["description"])
    check_format(format=event.format, cycles=new["cycles"], swiss_rounds=new["swiss_rounds"], seeding=event.seeding,
                 tie_breaks=event.tie_breaks, max_entries=new["max_entries"])
    if changes.keys() & _TIMES:
        # A deadline that has passed may stay when the start is postponed.
        fresh = changes.keys() & {"registration_opens_at", "registration_closes_at"}
        check_registration(new["registration_opens_at"], new["registration_closes_at"], new["starts_at"],
                           now if fresh else None)
    runners = event.entries.filter(runs_the_gauntlet=True).count()
    targets = {name: new[name] for name in ("target", "target_value", "max_matches", "max_hours")}
    check_target(event.format, new["cycles"], **targets)
    entrants = event.entries.count()
    check_size(event.format, entrants, new["cycles"], new["swiss_rounds"], runners, new["max_entries"],
               new["max_matches"])
    check_within_reach(targets, entrants)
    return changes


def _refuse_taken(event: Event, start: datetime) -> None:
    if event.series_id and Event.objects.filter(series=event.series_id, starts_at=start).exclude(pk=event.pk).exists():
        raise EventRefused(gettext("Another event of %(series)s starts at %(at)s: choose another time."),
            series=event.series, at=f"{start:%Y-%m-%d %H:%M %Z}")


def _plain(value: Any) -> Any:
    """Return the value as JSON takes it."""
    return value.isoformat() if isinstance(value, datetime) else value
