"""Reads about events: progress, standings, crosstable, schedule, what went wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Prefetch, Q, QuerySet

from ratings.models import Rating
from tournaments import standings as scoring
from tournaments.lifecycle import MATCH_ENDED, AttemptStatus, EventStatus, MatchStatus
from tournaments.models import Attempt, Entry, Event, Game, Match, Round

GAMES_PER_MATCH = 2
# The rate is taken over this much of the recent past, so that a pause does not spoil the estimate.
_RATE_WINDOW = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an event is. `seconds_left` and `games_per_minute` are None when nothing can be said."""

    games_total: int
    games_done: int
    games_void: int
    matches_running: int
    games_per_minute: float | None
    seconds_left: float | None

    @property
    def share(self) -> float:
        """Games done or void for good, of all: 0 to 1."""
        return (self.games_done + self.games_void) / self.games_total if self.games_total else 0.0


@dataclass(frozen=True, slots=True)
class Standing:
    """An entrant's line in an event, with its live rating on the ladder (None before the first period)."""

    entry: Entry
    row: scoring.Row
    rating: Rating | None


@dataclass(frozen=True, slots=True)
class CrosstableCell:
    """A row's score against a column's bot; `score` is None where they have not met (or are the same)."""

    opponent: Entry
    score: scoring.Score | None
    is_self: bool


@dataclass(frozen=True, slots=True)
class CrosstableRow:
    """An entrant's line: its standing, then a cell for each entrant, itself included."""

    standing: Standing
    cells: list[CrosstableCell]


def events() -> QuerySet[Event]:
    """All events with their ladders, newest first."""
    return Event.objects.select_related("ladder", "created_by")


def current() -> QuerySet[Event]:
    """Events that are running or paused."""
    return events().filter(status__in=[EventStatus.RUNNING, EventStatus.PAUSED])


def upcoming() -> QuerySet[Event]:
    """Events that are announced, the next one first."""
    return events().filter(status=EventStatus.SCHEDULED).order_by("starts_at", "id")


def progress(event: Event, now: datetime) -> Progress:
    """Games done of all games, how fast they come, and how long the rest will take."""
    counts = dict(Match.objects.filter(event=event).order_by().values_list("status").annotate(Count("id")))
    cancelled = counts.get(MatchStatus.CANCELLED, 0)
    done, void = counts.get(MatchStatus.FINISHED, 0), counts.get(MatchStatus.VOID, 0)
    total = sum(counts.values()) - cancelled
    rate = _rate(event, now) if event.status == EventStatus.RUNNING else None
    left = total - done - void
    return Progress(
        games_total=total * GAMES_PER_MATCH,
        games_done=done * GAMES_PER_MATCH,
        games_void=void * GAMES_PER_MATCH,
        matches_running=counts.get(MatchStatus.RUNNING, 0),
        games_per_minute=rate,
        seconds_left=left * GAMES_PER_MATCH / rate * 60 if rate else None,
    )


def _rate(event: Event, now: datetime) -> float | None:
    since = max(event.started_at or now, now - _RATE_WINDOW)
    minutes = (now - since).total_seconds() / 60
    ended = Match.objects.filter(event=event, status=MatchStatus.FINISHED, ended_at__gt=since).count()
    return ended * GAMES_PER_MATCH / minutes if ended and minutes > 0 else None


def _entries(event: Event) -> list[Entry]:
    return list(event.entries.select_related("bot__owner", "version"))


def _tallies(event: Event) -> list[scoring.Tally]:
    counted = (Game.objects.filter(match__event=event).order_by()
               .values_list("seat0__bot", "seat1__bot", "winner").annotate(Count("id")))
    return [scoring.Tally(*row) for row in counted]


def standings(event: Event) -> list[Standing]:
    """The event's table, best first."""
    return _standings(event, _entries(event), _tallies(event))


def _standings(event: Event, entries: Sequence[Entry], tallies: Sequence[scoring.Tally]) -> list[Standing]:
    by_bot = {entry.bot_id: entry for entry in entries}
    ratings = {rating.bot_id: rating for rating in Rating.objects.filter(ladder=event.ladder_id, bot__in=by_bot)}
    return [Standing(by_bot[row.entrant], row, ratings.get(row.entrant))
            for row in scoring.standings(list(by_bot), tallies)]


def crosstable(event: Event) -> list[CrosstableRow]:
    """Who scored what against whom; rows and columns in the order of the standings."""
    tallies = _tallies(event)
    lines = _standings(event, _entries(event), tallies)
    scores = scoring.crosstable(tallies)
    return [
        CrosstableRow(line, [
            CrosstableCell(other.entry, scores.get((line.entry.bot_id, other.entry.bot_id)), other is line)
            for other in lines
        ])
        for line in lines
    ]


def rounds(event: Event) -> QuerySet[Round]:
    """The schedule: rounds with their matches, both versions and their bots."""
    matches = Match.objects.select_related("first__bot", "second__bot").prefetch_related(
        Prefetch("games", Game.objects.order_by("number").defer("record", "stderr0", "stderr1")))
    return event.rounds.prefetch_related(Prefetch("matches", matches.order_by("number")))


def round_summaries(event: Event) -> QuerySet[Round]:
    """The rounds by number, each with `total` and `ended`, how many matches it has and how many have ended."""
    return (event.rounds.order_by("number")
            .annotate(total=Count("matches"), ended=Count("matches", filter=Q(matches__status__in=MATCH_ENDED))))


def matches_of(round_: Round) -> QuerySet[Match]:
    """A round's matches by number, with both bots and the games (without records)."""
    games = Game.objects.order_by("number").select_related("seat0__bot", "seat1__bot")
    return (round_.matches.order_by("number").select_related("first__bot", "second__bot")
            .prefetch_related(Prefetch("games", games.defer("record", "stderr0", "stderr1"))))


def void_attempts(event: Event) -> QuerySet[Attempt]:
    """Attempts that the infrastructure spoiled, newest first, with their reasons."""
    return (Attempt.objects.filter(match__event=event, status=AttemptStatus.VOID)
            .select_related("match__first__bot", "match__second__bot").order_by("-id"))


def etag(event: Event) -> str:
    """Changes whenever something that the event's pages show may have changed."""
    return f"event-{event.pk}-{event.status}-{event.revision}"


def unfinished_matches(event: Event) -> int:
    """How many matches have yet to end."""
    return Match.objects.filter(Q(status=MatchStatus.QUEUED) | Q(status=MatchStatus.RUNNING),
                                event=event).count()
