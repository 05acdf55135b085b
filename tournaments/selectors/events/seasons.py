"""Seasons of a league: the events of one start, a division each, with the moves after the season.

The event of the highest division, which every season has, stands for the season in query sets.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise

from django.db.models import Min, QuerySet

from tournaments.models import Entry, Event, Series
from tournaments.pairing.divisions import moves_of, next_divisions
from tournaments.scoring.scores import Counts, Results
from tournaments.scoring.tie_breaks import head_to_head
from tournaments.selectors.events.tables import Standing, all_games, all_standings
from tournaments.selectors.shared.cache import uncached


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
    """A season that has started, by number from 1, with the events of its divisions, highest first.

    `following` is the start of the following season, if that has started.
    """

    number: int
    events: list[Event]
    following: datetime | None

    @property
    def starts_at(self) -> datetime:
        return self.events[0].starts_at

    @property
    def is_over(self) -> bool:
        return all(event.ended_at is not None for event in self.events)


def highest(series: Series) -> QuerySet[Event]:
    """Return the events of the highest division that have started, newest first: one for each season."""
    return (Event.objects.filter(series=series, division=1, started_at__isnull=False)
            .select_related("ladder", "series").order_by("-starts_at"))


def seasons_of(events: Sequence[Event]) -> list[Season]:
    """Return the seasons of events of `highest`, which belong to one series, in two queries."""
    if not events:
        return []
    starts = list(highest(events[0].series).order_by("starts_at").values_list("starts_at", flat=True))  # type: ignore[arg-type] - they have a series
    found: dict[datetime, list[Event]] = {event.starts_at: [] for event in events}
    for event in (Event.objects.filter(series=events[0].series_id, starts_at__in=found, division__gte=1)
                  .select_related("ladder", "series").order_by("division")):
        found[event.starts_at].append(event)
    numbers = {start: number for number, start in enumerate(starts, start=1)}
    following = dict(pairwise(starts))
    return [Season(numbers[start], divisions, following.get(start)) for start, divisions in found.items()]


def divisions_of(seasons: Sequence[Season]) -> list[list[Division]]:
    """Return the divisions of each season, which belong to one series, with as many queries as for one season.

    Without a following season, the moves are those by the tables as they are now.
    """
    events = [event for season in seasons for event in season.events]
    if not events:
        return []
    after = _entrants(events[0].series_id, {season.following for season in seasons if season.following is not None})
    tables = dict(zip(events, _tables(events), strict=True))
    return [_divisions(season, [tables[event] for event in season.events],
                       after[season.following] if season.following is not None else None) for season in seasons]


def last_tables(series: Series) -> list[list[int]]:
    """Return the bots of the last season that did not leave during it, by division and place."""
    last = seasons_of(highest(series)[:1])
    with uncached():
        return _members(_tables(last[0].events)) if last else []


def _tables(events: Sequence[Event]) -> list[list[Standing]]:
    """Return the tables of events of one series; bots that share a place are in the order that decides who moves.

    Those with more points in the games between them come first, then those that entered the league first.
    """
    tables = all_standings(events)
    if all(len({line.row.place for line in table}) == len(table) for table in tables):
        return tables
    games = all_games(events)
    since = dict(Entry.objects.filter(event__series=events[0].series_id).order_by()
                 .values_list("bot").annotate(Min("pk")))
    return [[line for _, equal in groupby(table, key=lambda line: line.row.place)
             for line in _separated(list(equal), games[event], since)]
            for event, table in zip(events, tables, strict=True)]


def _separated(equal: list[Standing], games: Counts, since: Mapping[int, int]) -> list[Standing]:
    bots = [line.entry.bot_id for line in equal]
    between = head_to_head(Results(bots, games.meetings), bots)
    return sorted(equal, key=lambda line: (-between[line.entry.bot_id], since[line.entry.bot_id]))


def _divisions(season: Season, tables: list[list[Standing]], following: list[list[int]] | None) -> list[Division]:
    bots = [[line.entry.bot_id for line in table] for table in tables]
    moves = moves_of(bots, _expected(season, tables) if following is None else following)
    return [Division(event, [Line(line, moves[line.entry.bot_id]) for line in table])
            for event, table in zip(season.events, tables, strict=True)]


def _entrants(series: int | None, starts: Collection[datetime]) -> dict[datetime, list[list[int]]]:
    """Return the bots of each division of the seasons with these starts."""
    found: dict[datetime, dict[int, list[int]]] = {start: {} for start in starts}
    for start, division, bot in (Entry.objects.filter(event__series=series, event__starts_at__in=starts,
                                                      place__isnull=False).order_by()
                                 .values_list("event__starts_at", "event__division", "bot")):
        found[start].setdefault(division, []).append(bot)
    return {start: [divisions[number] for number in sorted(divisions)] for start, divisions in found.items()}


def _expected(season: Season, tables: list[list[Standing]]) -> list[list[int]]:
    """Return the following season if no bot joins or leaves."""
    staying = _members(tables)
    series = season.events[0].series
    return next_divisions(staying, [bot for table in staying for bot in table],
                          size=(series and series.division_size) or 1, moves=(series and series.division_moves) or 1)


def _members(tables: list[list[Standing]]) -> list[list[int]]:
    return [[line.entry.bot_id for line in table if line.entry.left_at is None] for table in tables]
