"""Leagues: series with divisions, whose events of the same start are a season."""

from copy import copy
from datetime import datetime
from random import Random
from typing import Any, Final

from django.utils.translation import gettext

from tournaments.formats import registry
from tournaments.models import Entry, Event, Invitation, Series, Version
from tournaments.models.lifecycle import EventStatus, VersionStatus
from tournaments.pairing.divisions import next_divisions
from tournaments.platform.refusals import Refused
from tournaments.selectors.events import seasons
from tournaments.selectors.events.permissions import OPEN
from tournaments.services.shared.slugs import free_slug

MOST_BOTS: Final = 1000
# The events of its divisions add the date, the time and the number of the division.
LONGEST_NAME: Final = 45


class LeagueRefused(Refused):
    """The size of the divisions or the number of bots that move is invalid, or the format has no divisions."""


def check_divisions(format: str, size: int | None, moves: int | None) -> dict[str, Any]:  # noqa: A002 - as in tables
    """Return the fields of the row. Raises LeagueRefused."""
    if size is None and moves is None:
        return {}
    if size is None or moves is None:
        raise LeagueRefused(gettext(
            "A league needs both numbers: the bots of a division, and the bots that move after a season. Give both, "
            "or leave both empty."))
    if not registry.find(format).suits_divisions:
        raise LeagueRefused(gettext("The divisions of a league play a round-robin, not the format %(format)s: choose "
                                    "round-robin."), format=gettext(registry.find(format).name))
    if moves < 1:
        raise LeagueRefused(gettext("At least 1 bot must move after a season, not %(moves)s."), moves=moves)
    if not 2 * moves <= size <= MOST_BOTS:
        raise LeagueRefused(gettext(
            "If %(moves)s bots move up and %(moves)s down, a division must have %(least)s to %(most)s bots, not "
            "%(size)s: change one of the numbers."), moves=moves, least=2 * moves, most=MOST_BOTS, size=size)
    return {"division_size": size, "division_moves": moves}


def goes_on(event: Event) -> bool:
    """Return whether an earlier season of the event's league has not ended."""
    return (event.series is not None and event.series.division_size is not None and event.division == 0
            and Event.objects.filter(series=event.series, starts_at__lt=event.starts_at, status__in=OPEN).exists())


def enter_members(event: Event, now: datetime) -> None:
    """Enter the bots of the last season that have not left; call it when the next season is announced.

    If the series enters the bots of its ladder, the bots of the ladder are its members instead.
    """
    series = event.series
    if series is None or series.division_size is None or series.enter_ladder:
        return
    last = (Event.objects.filter(series=series).exclude(pk=event.pk).order_by("-starts_at")
            .values_list("starts_at", flat=True).first())
    found = Entry.objects.filter(event__series=series, event__starts_at=last, left_at=None).order_by("pk")
    Entry.objects.bulk_create([Entry(event=event, bot_id=bot, version_id=version, entered_at=now)
                               for bot, version in found.values_list("bot", "version")], batch_size=1000)


def refresh_versions(event: Event) -> None:
    """Let bots whose entered version is no longer active play with their newest active version, if there is one."""
    stale = event.entries.exclude(version__status=VersionStatus.ACTIVE)
    for entry in stale:
        for version in Version.objects.filter(bot=entry.bot_id, status=VersionStatus.ACTIVE).order_by("-number"):
            if event.ladder.ruleset in version.rulesets:
                Entry.objects.filter(pk=entry.pk).update(version=version)
                break


def split(event: Event, entries: list[Entry], now: datetime) -> list[Entry]:
    """Divide the entrants, given by rating, into divisions; return those of the highest one, which `event` becomes.

    The other divisions get scheduled events of their own. Call it in the transaction that starts the event, and start
    those of `lower_divisions` in the same transaction.
    """
    series: Series = event.series  # type: ignore[assignment] - the caller has checked it
    by_bot = {entry.bot_id: entry for entry in entries}
    divisions = next_divisions(seasons.last_tables(series), list(by_bot), size=series.division_size or 0,
                               moves=series.division_moves or 0)
    title, invited = event.name, list(event.invitations.values_list("user", flat=True))
    for level, bots in enumerate(divisions[1:], start=2):
        lower = copy(event)
        lower.pk, lower._state = None, copy(event._state)  # noqa: SLF001 - Django's documented way to copy a row
        lower._state.adding = True  # noqa: SLF001 - as above
        lower.name, lower.division = f"{title}, division {level}", level
        lower.slug, lower.seed = free_slug(Event, lower.name, "event"), Random(f"{event.seed}/{level}").getrandbits(63)  # noqa: S311 - reproducible draw
        lower.status, lower.started_at, lower.created_at, lower.left_out = EventStatus.SCHEDULED, None, now, 0
        lower.save(force_insert=True)
        Entry.objects.filter(pk__in=[by_bot[bot].pk for bot in bots]).update(event=lower)
        Invitation.objects.bulk_create([Invitation(event=lower, user_id=user, created_at=now) for user in
                                        invited])
    event.division = 1
    event.name = f"{title}, division 1"
    Event.objects.filter(pk=event.pk).update(division=1, name=event.name)
    return [by_bot[bot] for bot in divisions[0]] if divisions else []


def lower_divisions(event: Event) -> list[Event]:
    """Return the scheduled events of the season's lower divisions."""
    if event.division != 1:
        return []
    return list(Event.objects.select_related("ladder", "series").filter(
        series=event.series_id, starts_at=event.starts_at, division__gt=1, status=EventStatus.SCHEDULED)
        .order_by("division"))
