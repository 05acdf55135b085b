"""Seasons of a league: the events of one start, a division each, with the moves after the season.

The event of the highest division, which every season has, stands for the season in query sets.
"""

from dataclasses import dataclass

from django.db.models import QuerySet

from tournaments.models import Entry, Event, Series
from tournaments.pairing.divisions import moves_of, next_divisions
from tournaments.selectors.events.tables import Standing, standings


@dataclass(frozen=True, slots=True)
class Line:
    """A bot's line in its division. `move` is up, down, stays or leaves."""

    standing: Standing
    move: str


@dataclass(frozen=True, slots=True)
class Division:
    """A division of a season, best bot first."""

    event: Event
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Season:
    """A season that has started, by number from 1, with the events of its divisions, highest first."""

    number: int
    events: list[Event]

    @property
    def is_over(self) -> bool:
        return all(event.ended_at is not None for event in self.events)


def highest(series: Series) -> QuerySet[Event]:
    """Return the events of the highest division that have started, newest first: one for each season."""
    return (Event.objects.filter(series=series, division=1, started_at__isnull=False)
            .select_related("ladder", "series").order_by("-starts_at"))


def season_of(event: Event) -> Season:
    """Return the season of an event of `highest`."""
    series = event.series
    number = Event.objects.filter(series=series, division=1, started_at__isnull=False,
                                  starts_at__lte=event.starts_at).count()
    events = Event.objects.filter(series=series, starts_at=event.starts_at, division__gte=1)
    return Season(number, list(events.select_related("ladder", "series").order_by("division")))


def divisions(season: Season) -> list[Division]:
    """Return the season's divisions. Without a following season, the moves are those by the tables as they are now."""
    tables = [standings(event) for event in season.events]
    bots = [[line.entry.bot_id for line in table] for table in tables]
    moves = moves_of(bots, _following(season) or _expected(season, tables))
    return [Division(event, [Line(line, moves[line.entry.bot_id]) for line in table])
            for event, table in zip(season.events, tables, strict=True)]


def last_tables(series: Series) -> list[list[int]]:
    """Return the bots of the last season that did not leave during it, by division and place."""
    last = highest(series).first()
    return _members([standings(event) for event in season_of(last).events]) if last else []


def _following(season: Season) -> list[list[int]]:
    """Return the bots of each division of the following season; none if it has not started."""
    first = season.events[0]
    after = Event.objects.filter(series=first.series_id, division=1, started_at__isnull=False,
                                 starts_at__gt=first.starts_at).order_by("starts_at").values("starts_at")[:1]
    found: dict[int, list[int]] = {}
    for division, bot in Entry.objects.filter(event__series=first.series_id, event__starts_at__in=after,
                                              place__isnull=False).values_list("event__division", "bot"):
        found.setdefault(division, []).append(bot)
    return [found[division] for division in sorted(found)]


def _expected(season: Season, tables: list[list[Standing]]) -> list[list[int]]:
    """Return the following season if no bot joins or leaves."""
    staying = _members(tables)
    series = season.events[0].series
    return next_divisions(staying, [bot for table in staying for bot in table],
                          size=(series and series.division_size) or 1, moves=(series and series.division_moves) or 1)


def _members(tables: list[list[Standing]]) -> list[list[int]]:
    return [[line.entry.bot_id for line in table if line.entry.left_at is None] for table in tables]
