"""Progress of an event: rounds and games so far, and of all to come where that can be known."""

from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Min, Q

from tournaments.formats.history import Ahead
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

    With `at_least`, there may be more games than `games_total` and `seconds_left` include: for level ties and a second
    grand final. There will be `rounds_least` to `rounds_most` rounds.
    """

    games_total: int
    games_done: int
    games_void: int
    at_least: bool
    rounds_least: int
    rounds_most: int
    matches_running: int
    games_per_minute: float | None
    seconds_left: float | None

    @property
    def share(self) -> float:
        """Share of games that are finished or permanently void, 0 to 1."""
        return (self.games_done + self.games_void) / self.games_total if self.games_total else 0.0


def progress(event: Event, now: datetime) -> Progress:
    """Return the games done and in total, their rate, and the time left if no other entrant leaves."""
    made, done, void, ahead, least, most = cached(
        event, "progress", lambda: (*_made(event), *astuple(_ahead(event, now))))
    rate = _rate(event, now) if event.status == EventStatus.RUNNING else None
    left = made + ahead - done - void
    return Progress(
        games_total=(made + ahead) * GAMES_PER_MATCH,
        games_done=done * GAMES_PER_MATCH,
        games_void=void * GAMES_PER_MATCH,
        at_least=find(event.format).is_bracket and event.status in _GOES_ON,
        rounds_least=least,
        rounds_most=most,
        matches_running=Match.objects.filter(event=event, status=MatchStatus.RUNNING).count(),
        games_per_minute=rate,
        seconds_left=left * GAMES_PER_MATCH / rate * 60 if rate else None,
    )


def _made(event: Event) -> tuple[int, int, int]:
    """Return the number of matches without cancelled ones, of finished ones, and of void ones."""
    counts = dict(Match.objects.filter(event=event).order_by().values_list("status").annotate(Count("id")))
    total = sum(counts.values()) - counts.get(MatchStatus.CANCELLED, 0)
    return total, counts.get(MatchStatus.FINISHED, 0), counts.get(MatchStatus.VOID, 0)


def _ahead(event: Event, now: datetime) -> Ahead:
    """Return what is still to be played; nothing for an event that is over."""
    format_ = find(event.format)
    if event.status in _GOES_ON and format_.is_round_by_round:
        return format_.ahead(history_of(event, now=now, kept=True))
    made = event.rounds.count()
    return Ahead(0, made, made)


def _rate(event: Event, now: datetime) -> float | None:
    """Return games per minute from the newest games alone, because it is requested every two seconds."""
    since = max(event.started_at or now, now - _RATE_WINDOW)
    newest = Game.objects.filter(event=event).order_by("-id")[:_RATE_GAMES]
    ended = newest.aggregate(games=Count("id", filter=Q(ended_at__gt=since)), first=Min("ended_at"))
    if ended["games"] == _RATE_GAMES:
        since = ended["first"]
    minutes = (now - since).total_seconds() / 60
    return ended["games"] / minutes if ended["games"] and minutes > 0 else None
