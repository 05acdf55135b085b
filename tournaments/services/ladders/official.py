"""The fit of a ladder's games: recomputed when games have been added, and rebuilt from the games.

`services.ladders.rating` updates the counts behind them, in the transaction in which games are rated.
"""

import logging
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Greatest, Least

from ratings import counting, tables
from ratings import services as ratings
from ratings.models import OfficialTable, Statistics
from ratings.official import MODEL
from ratings.official import OfficialTable as Computed
from tournaments.models import Event, Ladder, LadderEntry, Match
from tournaments.models.lifecycle import EventStatus
from tournaments.services.ladders.rating import official_due, rated_games
from tournaments.services.shared.failures import Tries
from tournaments.services.shared.locks import Lock, holding
from tournaments.services.shared.statements import touch

log = logging.getLogger(__name__)
# How long a table is left to the process that has begun to compute it: at least this time, or this multiple of the time
# that the last one took.
_CLAIM: Final = timedelta(minutes=1)
_PATIENCE: Final = 10
# A step of the coordinator begins no further table after this many seconds.
_STEP_SECONDS: Final = 0.5
_CHUNK: Final = 5000
# Pages of events that ended this long ago are still looked at for new ratings.
_ENDED: Final = timedelta(minutes=10)


def compute_due(now: datetime) -> int:
    """Compute the ratings that are due, the longest due first; return of how many ladders.

    Safe to run concurrently: each ladder is claimed by one process, and no lock is held while it is computed.
    """
    due = list(_due(now))
    if not due:
        return 0
    began, stored, tries = time.monotonic(), 0, Tries("compute ratings", now)
    for statistics in due:
        stored += tries.attempt(statistics, partial(_compute, statistics, now))
        if time.monotonic() - began > _STEP_SECONDS:
            break
    return stored


def rebuild_official(ladder: Ladder, now: datetime, *, check_only: bool = False) -> dict[str, bool]:
    """Recount the ladder's games and recompute its ratings; return whether what was stored was identical.

    Differences are replaced, unless `check_only`. Ratings that are due are compared for the games that they include.
    """
    with holding(Lock.LADDER, ladder.pk):
        period = _last_period(ladder.pk)
        counts_match = counting.matches_stored(ladder_id=ladder.pk, period=period, games=games_until(ladder.pk, period))
        if not counts_match and not check_only:
            counting.count_again(ladder_id=ladder.pk, period=period, games=games_until(ladder.pk, period), now=now)
        table_matches = _table_matches(ladder.pk, period)
        if not table_matches and not check_only:
            began = time.monotonic()
            given = tables.read(ladder.pk)
            computed = tables.compute(given)
            _store(ladder.pk, given, computed, now, began)
            Statistics.objects.filter(ladder=ladder.pk).update(due_at=None)
    return {"counts": counts_match, "ratings": table_matches}


def games_until(ladder: int, period: int) -> Iterator[counting.Played]:
    """Return the rated games of the periods up to this one, sorted by pair."""
    games = (rated_games().filter(match__ladder=ladder, match__rating_period__lte=period)
             .order_by(Least("seat0", "seat1"), Greatest("seat0", "seat1"))
             .values_list("seat0", "seat1", "winner", "match__opening"))
    return (counting.Played(*row) for row in games.iterator(chunk_size=_CHUNK))


def _last_period(ladder: int) -> int:
    return Match.objects.filter(ladder=ladder).aggregate(last=Max("rating_period"))["last"] or 0


def _due(now: datetime) -> QuerySet[Statistics]:
    """Return the statistics whose tables are due, by time or because an older release has computed them."""
    older = Q(due_at=None, ladder__official_table__isnull=False) & (
        ~Q(ladder__official_table__model=MODEL) | Q(ladder__official_table__transitivity__isnull=True))
    return Statistics.objects.filter(Q(due_at__lte=now) | older).order_by("due_at", "pk")


def _compute(statistics: Statistics, now: datetime) -> bool:
    """Compute a table, unless another process has claimed it; return whether it was stored."""
    ladder, began = statistics.ladder_id, time.monotonic()
    taken = OfficialTable.objects.filter(ladder=ladder).values_list("seconds", flat=True).first() or 0.0
    claim = now + max(_CLAIM, timedelta(seconds=_PATIENCE * taken))
    mine = Statistics.objects.filter(pk=statistics.pk)
    if not mine.filter(due_at=statistics.due_at).update(due_at=claim):
        return False
    with holding(Lock.LADDER, ladder):
        given = tables.read(ladder)
    # If this fails, the ladder stays claimed for a while, and the other tables are computed.
    computed = tables.compute(given, tables.start_of(ladder))
    with holding(Lock.LADDER, ladder):
        now_counted = mine.filter(due_at=claim).values_list("period", flat=True).first()
        if now_counted is None:
            # Another process has claimed it since, or has asked for a recomputation.
            return False
        stored = _store(ladder, given, computed, now, began)
        mine.update(due_at=None if now_counted == given.period else official_due(ladder, now))
    # Pages of events show ratings too. After the transaction: within it, all matches of an event that end would wait.
    for event in Event.objects.filter(Q(status=EventStatus.RUNNING) | Q(ended_at__gte=now - _ENDED), ladder=ladder):
        touch(event.pk)
    log.info("ratings of ladder %s computed: %s games, %.2f s", ladder, stored.games, stored.seconds)
    return True


def _store(ladder: int, given: tables.Input, computed: Computed, now: datetime, began: float) -> OfficialTable:
    """Replace the ladder's table, and the ratings of its bots."""
    stored = tables.store(ladder_id=ladder, given=given, computed=computed, now=now, seconds=time.monotonic() - began)
    ratings.publish(table=stored, plays=_plays(ladder))
    # The rows were written since: that time counts as well.
    stored.seconds = time.monotonic() - began
    stored.save(update_fields=["seconds"])
    return stored


def _plays(ladder: int) -> dict[int, int]:
    """Return the version of each bot that has joined the ladder."""
    return dict(LadderEntry.objects.filter(ladder=ladder).order_by().values_list("bot", "version"))


def _table_matches(ladder: int, period: int) -> bool:
    """Return whether the stored table is what the games give; if it is due, those of its games alone."""
    statistics, stored = (model.objects.filter(ladder=ladder).first() for model in (Statistics, OfficialTable))
    due = statistics is not None and statistics.due_at is not None
    if stored is None:
        return due or statistics is None or not statistics.games
    # Periods without a rated game change nothing, and make no table due.
    period, anchors = (stored.period, stored.given_anchors) if due else (period, tables.anchors_of(ladder))
    pairs = tables.pairs_of(counting.rows(games_until(ladder, period)))
    return (tables.matches_stored(stored, tables.Input(pairs, anchors, period))
            and (due or ratings.published(table=stored, plays=_plays(ladder))))
