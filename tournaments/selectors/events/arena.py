"""The state of an arena: points, streaks, and who plays whom now."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tournaments.formats.arena import Table
from tournaments.formats.registry import find
from tournaments.models import Entry, Event
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.shared.cache import cached


@dataclass(frozen=True, slots=True)
class ArenaLine:
    """An entrant's points, ended matches, wins in a row, whether its next points are doubled, and its opponent now."""

    entry: Entry
    points: int
    matches: int
    wins: int
    doubled: bool
    opponent: Entry | None


@dataclass(frozen=True, slots=True)
class ArenaState:
    """The time until which entrants are paired, and the entrants, best first."""

    minutes: int
    streaks: bool
    ends_at: datetime
    seconds_left: float
    lines: list[ArenaLine]


def arena(event: Event, now: datetime) -> ArenaState | None:
    """Return the state of an arena; None for other formats and before the start."""
    if not find(event.format).is_continuous or event.started_at is None:
        return None
    entries = list(event.entries.filter(place__isnull=False).order_by("place").select_related("bot", "version"))
    rows = cached(event, "arena", lambda: _rows(event, entries))
    ends_at = event.started_at + timedelta(minutes=event.minutes)
    left = 0.0 if event.ended_at is not None else max(0.0, (ends_at - now).total_seconds())
    return ArenaState(event.minutes, event.streaks, ends_at, left, [
        ArenaLine(entries[place], points, matches, wins, doubled, None if opponent is None else entries[opponent])
        for place, points, matches, wins, doubled, opponent in rows])


def _rows(event: Event, entries: list[Entry]) -> list[tuple[int, int, int, int, bool, int | None]]:
    """Return the numbers of each line, as plain data for the cache."""
    history = history_of(event, entries)
    table, opponents = Table.of(history), dict[int, int]()
    for bout in history.bouts:
        if bout.is_open:
            opponents |= {bout.first: bout.second, bout.second: bout.first}
    order = sorted(range(len(entries)), key=lambda place: (-table.line(place).points, place))
    return [(place, table.line(place).points, table.line(place).matches, table.line(place).wins,
             table.is_on_a_streak(place), opponents.get(place)) for place in order]
