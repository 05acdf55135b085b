"""When games are rated and counted. `services.ladders.official` computes the ratings from the counts."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db.models import Exists, Min, OuterRef, QuerySet, Sum

from engines.records.record import EndedBy
from engines.sandbox.isolation.limits import Tier
from ratings import counting
from ratings import services as ratings
from ratings.models import OfficialTable, Statistics
from ratings.reports import counts as reported
from tournaments.models import Game, Ladder, Match, Round
from tournaments.models.lifecycle import MATCH_ENDED, MatchStatus
from tournaments.services.shared.failures import each
from tournaments.services.shared.locks import Lock, holding
from tournaments.services.shared.wakeups import Step, wake

# A period of ladder play: this many matches, or those that ended within this time after the first of them.
MATCHES_IN_PERIOD: Final = 100
LONGEST_PERIOD: Final = timedelta(seconds=30)
# Games whose turns are in memory at a time.
_CHUNK: Final = 500
# Computations of ratings may take at most this share of the coordinator's time, measured over this recent time.
_LATELY: Final = timedelta(minutes=10)
_SHARE: Final = 0.1
# A ladder's ratings include a period after this time even if computations are slow.
LONGEST_DELAY: Final = timedelta(minutes=5)


def rate_due(now: datetime) -> int:
    """Close a period for every finished unrated round, and for ladder play; return how many.

    Safe to run concurrently: the ladder is locked, and rated matches are marked in the same transaction.
    """
    ladders = Ladder.objects.filter(Exists(_unrated().filter(ladder=OuterRef("pk")))).order_by("pk")
    return each("rate ladders", ladders.values_list("pk", flat=True), partial(_rate_ladder, now=now), now=now)


def rebuild_reported(ladder: Ladder, *, check_only: bool = False) -> bool:
    """Recount the chances that bots reported in the ladder's games; return whether the stored counts were identical.

    Differences are replaced, unless `check_only`.
    """
    with holding(Lock.LADDER, ladder.pk):
        counted = reported.count(_reported(rated_games().filter(match__ladder=ladder,
                                                                match__rating_period__isnull=False)))
        same = reported.stored(ladder_id=ladder.pk) == counted
        if not same and not check_only:
            reported.replace(ladder_id=ladder.pk, counts=counted)
    return same


def official_due(ladder: int, now: datetime) -> datetime:
    """Return when the ratings must include a period that closes now: at once if the ladder has none yet."""
    tables = OfficialTable.objects.all()
    if not tables.filter(ladder=ladder).exists():
        return now
    taken: Any = tables.filter(computed_at__gt=now - _LATELY).aggregate(seconds=Sum("seconds"))["seconds"] or 0.0
    return now + min(timedelta(seconds=max(settings.OFFICIAL_SECONDS, taken / _SHARE)), LONGEST_DELAY)


def refit(ladder: int, now: datetime) -> None:
    """Have the ladder's ratings computed again at once: not games, but anchors or playing versions have changed."""
    if Statistics.objects.filter(ladder=ladder, games__gt=0).update(due_at=now):
        wake(Step.COMPUTE_RATINGS)


def _unrated() -> QuerySet[Match]:
    return Match.objects.filter(status=MatchStatus.FINISHED, rated=True, rating_period=None)


def _rate_ladder(ladder: int, now: datetime) -> int:
    with holding(Lock.LADDER, ladder):
        due = _due_rounds(ladder)
        for round_ in due:
            _rate(ladder, _unrated().filter(round=round_), now)
        closed = len(due)
        free = _unrated().filter(ladder=ladder, round=None)
        if _period_is_full(free, now):
            _rate(ladder, free, now)
            closed += 1
    return closed


def _due_rounds(ladder: int) -> list[Round]:
    """Return rounds with unrated matches that are over, as are all rounds before them: by event, then by number."""
    unrated = Round.objects.filter(
        pk__in=_unrated().filter(ladder=ladder, round__isnull=False).values("round"))
    going_on = dict(Match.objects.exclude(status__in=MATCH_ENDED).filter(event__in=unrated.values("event"))
                    .order_by().values_list("event").annotate(Min("round__number")))
    return [round_ for round_ in unrated.order_by("event_id", "number")
            if round_.number < going_on.get(round_.event_id, round_.number + 1)]


def _period_is_full(unrated: QuerySet[Match], now: datetime) -> bool:
    """Return whether the ladder's own matches are enough for a period, or have waited long enough."""
    ended = list(unrated.order_by("ended_at").values_list("ended_at", flat=True)[:MATCHES_IN_PERIOD])
    return len(ended) == MATCHES_IN_PERIOD or (bool(ended) and ended[0] < now - LONGEST_PERIOD)


def _rate(ladder: int, unrated: QuerySet[Match], now: datetime) -> None:
    matches = list(unrated.values_list("pk", flat=True))
    games = (rated_games().filter(match__in=matches).order_by("match_id", "number")
             .values_list("pk", "seat0__bot", "seat1__bot", "winner", "seat0", "seat1", "match__opening"))
    results, played = [], []
    for pk, bot0, bot1, winner, first, second, opening in games:
        results.append(ratings.Played(pk, (bot0, bot1), (first, second), winner))
        played.append(counting.Played(first, second, winner, opening))
    period = ratings.next_period(ladder)
    ratings.rate_games(ladder_id=ladder, period=period, games=results, now=now)
    due_at = official_due(ladder, now)
    counting.count_period(ladder_id=ladder, number=period, games=played, due_at=due_at)
    reported.add(ladder_id=ladder, games=_reported(rated_games().filter(match__in=matches)))
    Match.objects.filter(pk__in=matches).update(rating_period=period)
    wake(Step.FINISH_EVENTS, Step.COUNT_OPENINGS)
    if due_at <= now:
        wake(Step.COMPUTE_RATINGS)


def _reported(games: QuerySet[Game]) -> Iterator[reported.Reported]:
    """Return the games whose reported chances count: not those that a bot lost by its own fault."""
    rows = games.exclude(ended_by=EndedBy.CONDUCT).order_by().values_list(
        "seat0", "seat1", "winner", "record__turns", "match__opening")
    return (reported.Reported(*row, len(opening)) for *row, opening in rows.iterator(chunk_size=_CHUNK))


def rated_games() -> QuerySet[Game]:
    """Return the games that change ratings, once they are rated. Games without any isolation stay, but do not count."""
    return Game.objects.exclude(attempt__tier=Tier.UNSAFE_LOCAL)
