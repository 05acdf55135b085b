"""Leagues: series with divisions, whose events of the same start are a season."""

from collections.abc import Iterable
from copy import copy
from datetime import datetime
from itertools import chain
from random import Random
from typing import Any, Final

from django.utils.translation import gettext

from tournaments.formats import registry
from tournaments.models import Entry, Event, Invitation, Series, Version
from tournaments.models.lifecycle import EventStatus, VersionStatus
from tournaments.pairing.divisions import MOST_DIVISIONS, next_divisions
from tournaments.platform.refusals import Refused
from tournaments.selectors.events import seasons
from tournaments.selectors.events.permissions import OPEN
from tournaments.services.events.scheduling import MOST_ENTRIES
from tournaments.services.shared.slugs import free_slug

MOST_BOTS: Final = 1000
# The events of its divisions add the date, the time and the number of the division.
LONGEST_NAME: Final = 45


class LeagueRefused(Refused):
    """The size of the divisions or the number of bots that move is invalid, or the format has no divisions."""


def check_divisions(
    format: str, size: int | None, moves: int | None, max_entries: int | None,  # noqa: A002 - as in tables
) -> dict[str, Any]:
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
    return {"division_size": size, "division_moves": moves, **check_entries(size, max_entries)}


def check_entries(size: int | None, max_entries: int | None) -> dict[str, Any]:
    """Return the maximum number of entries, as the row stores it, for divisions of `size`. Raises LeagueRefused.

    Without a number, a league has as many entries as its divisions have places.
    """
    if size is None:
        return {"max_entries": max_entries}
    most = _places(size)
    if max_entries is not None and max_entries > most:
        raise LeagueRefused(gettext(
            "A season has at most %(divisions)s divisions, so with %(size)s bots each it has at most %(most)s entries, "
            "not %(max_entries)s: reduce the number of entries, or create a league with larger divisions."),
            divisions=MOST_DIVISIONS, size=size, most=most, max_entries=max_entries)
    return {"max_entries": most if max_entries is None else max_entries}


def most_entries(series: Series) -> int | None:
    """Return the maximum number of entries of the series' next event."""
    if series.division_size is None:
        return series.max_entries
    return min(series.max_entries or MOST_ENTRIES, _places(series.division_size))


def _places(size: int) -> int:
    return min(MOST_DIVISIONS * size, MOST_ENTRIES)


def goes_on(event: Event) -> bool:
    """Return whether an earlier season of the event's league has not ended."""
    return (event.series is not None and event.series.division_size is not None and event.division == 0
            and Event.objects.filter(series=event.series, starts_at__lt=event.starts_at, status__in=OPEN).exists())


def enter_members(event: Event, now: datetime) -> None:
    """Enter the bots of the last season that have not left; call it when the next season is announced.

    If there are more than the event takes, the last ones of the lowest divisions are not entered, and `left_out` counts
    them. If the series enters the bots of its ladder, the bots of the ladder are its members instead.
    """
    series = event.series
    if series is None or series.division_size is None or series.enter_ladder:
        return
    last = (Event.objects.filter(series=series).exclude(pk=event.pk).order_by("-starts_at")
            .values_list("starts_at", flat=True).first())
    found = Entry.objects.filter(event__series=series, event__starts_at=last, left_at=None).order_by("pk")
    members = by_last_season(series, found.values_list("bot", "version"))
    entered = members[:event.max_entries]
    Entry.objects.bulk_create([Entry(event=event, bot_id=bot, version_id=version, entered_at=now)
                               for bot, version in entered], batch_size=1000)
    Event.objects.filter(pk=event.pk).update(left_out=len(members) - len(entered))


def by_last_season(series: Series, bots: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return bots with their versions: those of a league's last season first, by division and place, then the others.

    The others, and the bots of a series without divisions, keep their order.
    """
    tables = [] if series.division_size is None else seasons.last_tables(series)
    order = {bot: place for place, bot in enumerate(chain.from_iterable(tables))}
    return sorted(bots, key=lambda each: order.get(each[0], len(order)))


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
