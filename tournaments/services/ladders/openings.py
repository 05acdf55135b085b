"""Counting of the turns of rated games for the explorer of openings. `ratings.openings` has the statements.

A batch is one transaction that locks the ladder's progress, so each game is counted exactly once, even if a process
dies or several coordinators count. Rating does not wait for it. Games of private events are not counted: their turns
are not public.
"""

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Q

from engines.rules.errors import TurnError
from engines.rules.registry import RULESETS
from engines.rules.symmetry import path
from ratings import openings
from ratings.models import OpeningCount, RatedGame, Statistics
from tournaments.models import Ladder
from tournaments.services.shared.failures import each

_GAMES: Final = 200
# A step of the coordinator begins no further batch of a ladder after this many seconds.
_STEP_SECONDS: Final = 0.3


def count_due(now: datetime) -> int:
    """Count games that were rated since the last step; return the number of ladders with more of them."""
    return each("count openings", _behind(), _count, now=now)


def recount(ladder: Ladder) -> Iterator[tuple[int, bool]]:
    """Count the ladder's games again, from the start; yield the number of counted games and whether more remain."""
    openings.forget(ladder_id=ladder.pk)
    more = True
    while more:
        more = count_batch(ladder.pk)
        yield OpeningCount.objects.get(ladder=ladder.pk).games, more


def count_batch(ladder: int) -> bool:
    """Count the next games of the ladder, or delete some of the counts; return whether more remain."""
    with transaction.atomic():
        OpeningCount.objects.get_or_create(ladder_id=ladder)
        progress = OpeningCount.objects.select_for_update().get(ladder=ladder)
        more = _clear(progress) if progress.clearing else _add_next(progress)
        progress.save()
    return more


def _behind() -> list[int]:
    """Return the ladders with rated games that are not counted, or whose counts are being deleted."""
    behind = Q(opening_count=None) | Q(opening_count__clearing=True) | ~Q(opening_count__period=F("statistics__period"))
    return list(Ladder.objects.filter(behind, statistics__isnull=False).order_by("pk").values_list("pk", flat=True))


def _count(ladder: int) -> bool:
    began, more = time.monotonic(), True
    while more and time.monotonic() - began < _STEP_SECONDS:
        more = count_batch(ladder)
    return more


def _clear(progress: OpeningCount) -> bool:
    if openings.delete_some(ladder_id=progress.ladder_id):
        progress.clearing, progress.period, progress.game, progress.games = False, 0, 0, 0
    return True


def _add_next(progress: OpeningCount) -> bool:
    """Add the next games, at most a batch; return whether there may be more."""
    last = Statistics.objects.filter(ladder=progress.ladder_id).values_list("period", flat=True).first() or 0
    following = progress.period + 1
    left = RatedGame.objects.filter(Q(period=following, game__gt=progress.game) | Q(period__gt=following),
                                    ladder=progress.ladder_id, period__gte=following, period__lte=last)
    found = list(left.order_by("period", "game_id").values_list(
        "game", "game__winner", "level", "game__record", "game__event__private", "period")[:_GAMES])
    if len(found) == _GAMES:
        progress.period, progress.game = found[-1][5] - 1, found[-1][0]
    else:
        progress.period, progress.game = last, 0
    public = [row[:4] for row in found if not row[4]]
    openings.add(ladder_id=progress.ladder_id, games=map(_followed, public))
    progress.games += len(public)
    return len(found) == _GAMES


def _followed(row: tuple[Any, ...]) -> openings.Followed:
    """Return the game with its path; without one if the rules that it was played by are not the present ones."""
    game, winner, level, record = row
    ruleset = RULESETS.get(record["ruleset"])
    if ruleset is None or record.get("rules", 1) != ruleset.version:
        return openings.Followed(game, winner, level, ())
    turns = [*record["opening"], *(turn["turn"] for turn in record["turns"])]
    try:
        return openings.Followed(game, winner, level, list(path(ruleset, record["size"], turns)))
    except TurnError:
        return openings.Followed(game, winner, level, ())
