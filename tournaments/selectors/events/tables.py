"""An event's standings and crosstable, by the rules of its format."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from ratings.models import Rating
from tournaments.formats.registry import find
from tournaments.models import Entry, Event
from tournaments.models.lifecycle import EventStatus
from tournaments.scoring import standings as scoring
from tournaments.scoring.tie_breaks import TieBreak
from tournaments.selectors.events.counting import counted
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.shared.cache import all_cached

# The columns that tables show of an entrant: as quick to read as its name alone.
_SHOWN = ("event", "place", "runs_the_gauntlet", "entered_at", "left_at", "bot__slug", "bot__name",
          "bot__owner__username", "version__number", "version__bot",
          "disqualification__reason", "disqualification__annulled")

# The entries of events by the event's ID, and the counts of events.
Entries = dict[int, list[Entry]]
Counts = Mapping[Event, scoring.Counts]


@dataclass(frozen=True, slots=True)
class Standing:
    """An entrant's line in an event, with its bot's rating on the ladder (None before the first rated game)."""

    entry: Entry
    row: scoring.Row
    rating: Rating | None


class CrosstableCell(NamedTuple):
    """A row's score against a column's bot; `score` is None where they have not met (or are the same)."""

    opponent: Entry
    score: scoring.Score | None
    is_self: bool


@dataclass(frozen=True, slots=True)
class CrosstableRow:
    """An entrant's line: its standing, then a cell for each entrant, including itself."""

    standing: Standing
    cells: list[CrosstableCell]


def standings(event: Event) -> list[Standing]:
    """Return the event's table, best first; before the start, the entrants so far."""
    return all_standings([event])[0]


def all_standings(events: Sequence[Event]) -> list[list[Standing]]:
    """Return the tables of events of one ladder; those of round-robins with as many queries as one of them."""
    entries = _entries(events)
    return _standings(events, entries, lambda stale: _counts(stale, entries))


def all_games(events: Sequence[Event]) -> Counts:
    """Return the games of each event by bot, with as many queries as for one event."""
    return _counts(events, _entries(events))


def crosstable(event: Event, most: int | None = None) -> list[CrosstableRow]:
    """Return the scores between entrants, rows and columns in the order of the standings, the first `most` of them."""
    entries = _entries([event])
    counts = cache(lambda: _counts([event], entries))
    lines = _standings([event], entries, lambda _: counts())[0][:most]
    met = counts()[event].meetings
    # Most of the thousands of cells are alike, so they share their score.
    score = cache(scoring.Score)
    columns = [(line.entry, line.entry.bot_id) for line in lines]
    return [CrosstableRow(line, _cells(line.entry, columns, met.get(line.entry.bot_id, {}), score)) for line in lines]


def _cells(entry: Entry, columns: Sequence[tuple[Entry, int]], met: Mapping[int, Sequence[int]],
           score: Callable[..., scoring.Score]) -> list[CrosstableCell]:
    return [CrosstableCell(other, score(*met[bot]) if bot in met else None, other is entry) for other, bot in columns]


def has_crosstable(event: Event) -> bool:
    """Return whether entrants meet often enough for a crosstable: in every started event but a knockout."""
    return event.started_at is not None and not find(event.format).is_bracket


def champions(event: Event, lines: Sequence[Standing]) -> list[Standing]:
    """Return the lines in first place of a finished event; none if all entrants share it.

    A disqualified entrant is no champion, and an event with several tables has none.
    """
    if event.status != EventStatus.FINISHED:
        return []
    first = [line for line in lines if line.row.places == "1" and not line.row.table]
    if len(first) == len(lines) > 1:
        return []
    return [line for line in first if reason_of(line.entry) is None]


def tie_breaks_of(event: Event) -> list[str]:
    """Return the names of the tie-breaks: the event's own, or else its format's."""
    return list(event.tie_breaks or find(event.format).tie_breaks)


def tie_break_columns(event: Event) -> list[TieBreak]:
    """Return the tie-breaks in the order of `Row.tie_breaks`; none for a knockout, which has no points."""
    if find(event.format).is_bracket:
        return []
    return [scoring.TIE_BREAKS[name] for name in tie_breaks_of(event)]


def reason_of(entry: Entry) -> str | None:
    """Return the public reason of the entrant's disqualification; None without one."""
    ruling = getattr(entry, "disqualification", None)
    return None if ruling is None else ruling.reason


def _entries(events: Sequence[Event]) -> Entries:
    found: Entries = {event.pk: [] for event in events}
    known = {event.pk: event for event in events}
    for entry in (Entry.objects.filter(event__in=found).order_by("place", "id")
                  .select_related("bot__owner", "version", "disqualification").only(*_SHOWN)):
        entry.event = known[entry.event_id]
        # An entrant who was ineligible at the start has no place and no line.
        if entry.place is not None or entry.event.started_at is None:
            found[entry.event_id].append(entry)
    return found


def _counts(events: Iterable[Event], entries: Entries) -> Counts:
    # By version: as a bot enters only one, nothing but an index of the games is read.
    return counted({event: {entry.version_id: entry.bot_id for entry in entries[event.pk]} for event in events})


def _standings(
    events: Sequence[Event], entries: Entries, counts: Callable[[Sequence[Event]], Counts],
) -> list[list[Standing]]:
    bots = {entry.bot_id for of_event in entries.values() for entry in of_event}
    ratings = {rating.bot_id: rating for rating in Rating.objects.filter(ladder=events[0].ladder_id, bot__in=bots)}
    rows = all_cached(events, "places", lambda stale: _all_rows(stale, entries, counts(stale)))
    by_bot = {event.pk: {entry.bot_id: entry for entry in entries[event.pk]} for event in events}
    return [[Standing(by_bot[event.pk][row.entrant], row, ratings.get(row.entrant))
             for row in map(_from_plain, rows[event])] for event in events]


def _all_rows(events: Sequence[Event], entries: Entries, counts: Counts) -> dict[Event, list[tuple[Any, ...]]]:
    return {event: [_plain(row) for row in _rows(event, entries[event.pk], counts[event])] for event in events}


def _plain(row: scoring.Row) -> tuple[Any, ...]:
    """Return the line as numbers, for the cache."""
    scores = [(score.wins, score.draws, score.losses) for score in (row.score, *row.seats)]
    return (row.entrant, row.place, row.points, scores, row.tie_breaks, row.sonneborn_berger, row.worst_place,
            row.eliminated, row.annulled, row.table)


def _from_plain(numbers: tuple[Any, ...]) -> scoring.Row:
    entrant, place, points, scores, *rest = numbers
    score, *seats = (scoring.Score(*games) for games in scores)
    return scoring.Row(entrant, place, points, score, (seats[0], seats[1]), *rest)


def _rows(event: Event, entries: Sequence[Entry], counts: scoring.Counts) -> list[scoring.Row]:
    bots = [entry.bot_id for entry in entries]
    if event.started_at is None:
        return scoring.standings(bots, counts, tie_breaks=tie_breaks_of(event))
    return find(event.format).standings(bots, counts, tie_breaks_of(event), history_of(event, entries, kept=True))
