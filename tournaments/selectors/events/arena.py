"""The state of an arena: points, streaks, and who plays whom now."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tournaments.formats.arena import Table
from tournaments.formats.registry import find
from tournaments.models import Entry, Event, Match
from tournaments.models.lifecycle import MATCH_ENDED
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.shared.cache import cached


@dataclass(frozen=True, slots=True)
class ArenaLine:
    """An entrant's points, ended matches, wins in a row, whether its next points are doubled, and its opponent now.

    `match` is the ID of its open match, None without one.
    """

    entry: Entry
    points: int
    matches: int
    wins: int
    doubled: bool
    opponent: Entry | None
    match: int | None


@dataclass(frozen=True, slots=True)
class ArenaState:
    """The time until which entrants are paired, and the entrants, best first."""

    minutes: int
    streaks: bool
    ends_at: datetime
    seconds_left: float
    lines: list[ArenaLine]

    @property
    def playing(self) -> list[ArenaLine]:
        """The lines of the open matches, each once."""
        return [line for line in self.lines
                if line.opponent is not None and (line.entry.place or 0) < (line.opponent.place or 0)]

    @property
    def waiting(self) -> list[Entry]:
        """The entrants that can be paired now."""
        return [line.entry for line in self.lines if line.opponent is None and line.entry.left_at is None]

    @property
    def on_a_streak(self) -> list[ArenaLine]:
        """The lines of the entrants whose next points are doubled."""
        return [line for line in self.lines if line.doubled and line.entry.left_at is None]


def arena(event: Event, now: datetime) -> ArenaState | None:
    """Return the state of an arena; None for other formats and before the start."""
    if not find(event.format).is_continuous or event.started_at is None:
        return None
    entries = list(event.entries.filter(place__isnull=False).order_by("place").select_related("bot", "version"))
    rows = cached(event, "arena", lambda: _rows(event, entries))
    ends_at = event.started_at + timedelta(minutes=event.minutes)
    left = 0.0 if event.ended_at is not None else max(0.0, (ends_at - now).total_seconds())
    return ArenaState(event.minutes, event.streaks, ends_at, left, [
        ArenaLine(entries[place], *facts, None if opponent is None else entries[opponent], match)
        for place, *facts, opponent, match in rows])


def _rows(event: Event, entries: list[Entry]) -> list[tuple[int, int, int, int, bool, int | None, int | None]]:
    """Return the numbers of each line, as plain data for the cache."""
    history = history_of(event, entries)
    table, opponents = Table.of(history), dict[int, int]()
    for bout in history.bouts:
        if bout.is_open:
            opponents |= {bout.first: bout.second, bout.second: bout.first}
    open_matches = {version: pk for pk, *versions in Match.objects.filter(event=event).exclude(status__in=MATCH_ENDED)
                    .order_by().values_list("pk", "first", "second") for version in versions}
    order = sorted(range(len(entries)), key=lambda place: (-table.line(place).points, place))
    return [(place, table.line(place).points, table.line(place).matches, table.line(place).wins,
             table.is_on_a_streak(place), opponents.get(place), open_matches.get(entries[place].version_id))
            for place in order]
