"""Seasons of a league: the events of one start, a division each, with the moves after the season."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

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
    starts_at: datetime
    events: list[Event]

    @property
    def is_over(self) -> bool:
        return all(event.ended_at is not None for event in self.events)


def seasons(series: Series) -> list[Season]:
    """Return the league's seasons that have started, newest first; none for a series without divisions."""
    events = (Event.objects.filter(series=series, division__gte=1, started_at__isnull=False)
              .select_related("ladder").order_by("starts_at", "division"))
    found = [Season(number, starts_at, list(group)) for number, (starts_at, group) in enumerate(
        groupby(events, key=lambda event: event.starts_at), start=1)]
    return found[::-1]


def divisions(series: Series, season: Season, following: Season | None) -> list[Division]:
    """Return the season's divisions. Without a following season, the moves are those by the tables as they are now."""
    tables = [standings(event) for event in season.events]
    bots = [[line.entry.bot_id for line in table] for table in tables]
    if following is None:
        staying = _members(tables)
        after = next_divisions(staying, [bot for table in staying for bot in table], size=series.division_size or 1,
                               moves=series.division_moves or 1)
    else:
        entries = list(Entry.objects.filter(event__in=following.events, place__isnull=False)
                       .values_list("event", "bot"))
        after = [[bot for event, bot in entries if event == each.pk] for each in following.events]
    moves = moves_of(bots, after)
    return [Division(event, [Line(line, moves[line.entry.bot_id]) for line in table])
            for event, table in zip(season.events, tables, strict=True)]


def every_division(series: Series) -> Iterator[tuple[Season, list[Division]]]:
    """Yield every season, newest first, with its divisions."""
    following = None
    for season in seasons(series):
        yield season, divisions(series, season, following)
        following = season


def last_tables(series: Series) -> list[list[int]]:
    """Return the bots of the last season that did not leave during it, by division and place."""
    last = next(iter(seasons(series)), None)
    return _members([standings(event) for event in last.events]) if last else []


def _members(tables: list[list[Standing]]) -> list[list[int]]:
    return [[line.entry.bot_id for line in table if line.entry.left_at is None] for table in tables]
