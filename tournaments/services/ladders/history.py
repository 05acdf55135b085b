"""Histories of ratings computed again from the games, for ladders that older releases rated in another way."""

import math
from datetime import datetime
from typing import Final

from django.db.models import Max

from ratings import counting, tables
from ratings.models import RatedGame, RatingPoint
from tournaments.models import Ladder, Version
from tournaments.services.ladders.official import games_until
from tournaments.services.shared.locks import Lock, holding

# Fits per ladder. Each reads the games before it.
FITS: Final = 60


def rebuild_history(ladder: Ladder) -> int:
    """Replace the histories of the ladder's bots by fits at even distances of rating periods; return how many fits."""
    ended: dict[int, datetime] = dict(RatedGame.objects.filter(ladder=ladder).order_by("period").values("period")
                                      .annotate(at=Max("rated_at")).values_list("period", "at"))
    # The last one, and every so many before it.
    chosen = list(ended)[::-1][::math.ceil(len(ended) / FITS) or 1][::-1]
    anchors = tables.anchors_of(ladder.pk)
    points: dict[tuple[int, datetime], RatingPoint] = {}
    known: dict[int, tuple[int, int]] = {}
    for period in chosen:
        pairs = tables.pairs_of(counting.rows(games_until(ladder.pk, period)))
        lines = {line.player: line for line in tables.compute(tables.Input(pairs, anchors, period)).lines}
        versions = Version.objects.filter(pk__in=lines).order_by("number").values_list("pk", "bot", "number")
        newest = {bot: (lines[pk], number) for pk, bot, number in versions}
        for bot, (line, number) in newest.items():
            if known.get(bot) != (number, line.games):
                known[bot] = number, line.games
                points[bot, ended[period]] = RatingPoint(
                    ladder=ladder, bot_id=bot, at=ended[period], version=number, value=line.rating, low=line.low,
                    high=line.high)
    with holding(Lock.LADDER, ladder.pk):
        RatingPoint.objects.filter(ladder=ladder).delete()
        RatingPoint.objects.bulk_create(points.values(), batch_size=500)
    return len(chosen)
