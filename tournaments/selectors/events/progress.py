"""Progress of an event: rounds and games so far, and of all to come where that can be known."""

from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Min, Q

from tournaments.formats.registry import find
from tournaments.models import Event, Game, Match
from tournaments.models.lifecycle import EventStatus, MatchStatus
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.shared.cache import cached

# The rate is measured over this much of the recent past, so that a pause does not spoil the estimate.
_RATE_WINDOW: Final = timedelta(minutes=2)
# If more games than this ended in that time, over these games.
_RATE_GAMES: Final = 500
_GOES_ON: Final = (EventStatus.RUNNING, EventStatus.PAUSED)


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of an event. `seconds_left` and `games_per_minute` are None if they cannot be estimated.

    There will be `games_total` and `seconds_left`, or at least, at most or about as much: see `estimate`. `share` is
    the share that is done, 0 to 1, of what `measure` names: "games", "time" (of an arena), or the "information" that a
    precision event wants. There will be `rounds_least` to `rounds_most` rounds.
    """

    games_total: int
    games_done: int
    games_void: int
    estimate: str
    share: float
    measure: str
    rounds_least: int
    rounds_most: int
    matches_running: int
    games_per_minute: float | None
    seconds_left: float | None

    @property
    def at_least(self) -> bool:
        """Whether there may be more games than `games_total`, and no fewer."""
        return self.estimate == "at least"


def progress(event: Event, now: datetime) -> Progress:
    """Return the games done and in total, their rate, and the time left if no other entrant leaves."""
    made, done, void, ahead, least, most, share = cached(
        event, "progress", lambda: (*_made(event), *_to_come(event, now)))
    rate = _rate(event, now) if event.status == EventStatus.RUNNING else None
    left = made + ahead - done - void
    seconds = left * GAMES_PER_MATCH / rate * 60 if rate else None
    measure = "information"
    if share is None:
        share, measure = (done + void) / (made + ahead) if made + ahead else 0.0, "games"
    if event.started_at is not None and event.status in _GOES_ON and find(event.format).is_continuous:
        spent = (now - event.started_at).total_seconds()
        share, measure = min(1.0, spent / 60 / event.minutes), "time"
        seconds = max(0.0, event.minutes * 60 - spent)
    return Progress(
        games_total=(made + ahead) * GAMES_PER_MATCH,
        games_done=done * GAMES_PER_MATCH,
        games_void=void * GAMES_PER_MATCH,
        estimate=find(event.format).ahead_is if event.status in _GOES_ON else "exact",
        share=share,
        measure=measure,
        rounds_least=least,
        rounds_most=most,
        matches_running=Match.objects.filter(event=event, status=MatchStatus.RUNNING).count(),
        games_per_minute=rate,
        seconds_left=seconds,
    )


def _made(event: Event) -> tuple[int, int, int]:
    """Return the number of matches without cancelled ones, of finished ones, and of void ones."""
    counts = dict(Match.objects.filter(event=event).order_by().values_list("status").annotate(Count("id")))
    total = sum(counts.values()) - counts.get(MatchStatus.CANCELLED, 0)
    return total, counts.get(MatchStatus.FINISHED, 0), counts.get(MatchStatus.VOID, 0)


def _to_come(event: Event, now: datetime) -> tuple[int, int, int, float | None]:
    """Return the matches still to be played, the least and most rounds, and the share done if it is not theirs."""
    format_ = find(event.format)
    if event.status in _GOES_ON and format_.is_round_by_round:
        history = history_of(event, now=now, kept=True)
        return *astuple(format_.ahead(history)), format_.done(history)
    made = event.rounds.count()
    return 0, made, made, None


def _rate(event: Event, now: datetime) -> float | None:
    """Return games per minute from the newest games alone, because it is requested every two seconds."""
    since = max(event.started_at or now, now - _RATE_WINDOW)
    newest = Game.objects.filter(event=event).order_by("-id")[:_RATE_GAMES]
    ended = newest.aggregate(games=Count("id", filter=Q(ended_at__gt=since)), first=Min("ended_at"))
    if ended["games"] == _RATE_GAMES:
        since = ended["first"]
    minutes = (now - since).total_seconds() / 60
    return ended["games"] / minutes if ended["games"] and minutes > 0 else None
