"""How far an event is: rounds and games of all that there will be, as far as that is known while it runs."""

from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Min, Q

from tournaments.formats.history import Ahead
from tournaments.formats.registry import find
from tournaments.models import Event, Game, Match
from tournaments.models.lifecycle import EventStatus, MatchStatus
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.selectors.events.history import history_of
from tournaments.selectors.shared.cache import cached

# The rate is taken over this much of the recent past, so that a pause does not spoil the estimate.
_RATE_WINDOW: Final = timedelta(minutes=2)
# Where more games than that ended in it, over these.
_RATE_GAMES: Final = 500
_GOES_ON: Final = (EventStatus.RUNNING, EventStatus.PAUSED)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an event is. `seconds_left` and `games_per_minute` are None when nothing can be said.

    With `at_least`, games may come that `games_total` and `seconds_left` do not count: for level ties and a second
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
        """Games done or void for good, of all: 0 to 1."""
        return (self.games_done + self.games_void) / self.games_total if self.games_total else 0.0


def progress(event: Event, now: datetime) -> Progress:
    """Games done of all games, how fast they come, and how long the rest will take, if nobody else leaves."""
    made, done, void, ahead, least, most = cached(event, "progress", lambda: (*_made(event), *astuple(_ahead(event))))
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
    """How many matches there are, without cancelled ones; how many of them are finished, and how many void."""
    counts = dict(Match.objects.filter(event=event).order_by().values_list("status").annotate(Count("id")))
    total = sum(counts.values()) - counts.get(MatchStatus.CANCELLED, 0)
    return total, counts.get(MatchStatus.FINISHED, 0), counts.get(MatchStatus.VOID, 0)


def _ahead(event: Event) -> Ahead:
    """What is to come; of an event that is over, nothing."""
    format_ = find(event.format)
    if event.status in _GOES_ON and format_.is_round_by_round:
        return format_.ahead(history_of(event))
    made = event.rounds.count()
    return Ahead(0, made, made)


def _rate(event: Event, now: datetime) -> float | None:
    """Games a minute, from the newest ones alone: it is asked for every other second."""
    since = max(event.started_at or now, now - _RATE_WINDOW)
    newest = Game.objects.filter(event=event).order_by("-id")[:_RATE_GAMES]
    ended = newest.aggregate(games=Count("id", filter=Q(ended_at__gt=since)), first=Min("ended_at"))
    if ended["games"] == _RATE_GAMES:
        since = ended["first"]
    minutes = (now - since).total_seconds() / 60
    return ended["games"] / minutes if ended["games"] and minutes > 0 else None
