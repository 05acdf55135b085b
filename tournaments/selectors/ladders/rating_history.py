"""History of a bot's live rating on a ladder: by rating period, with its band and the version that played."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Final

from django.db.models import Case, F, OuterRef, QuerySet, Subquery, When

from ratings import elo
from ratings.models import Period, Rating, RatingChange
from tournaments.models import Bot, Ladder

# A plot has no room for more periods.
PERIODS_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class Point:
    """The live rating after a period, with the ends of its 95 % band and the number of the version that played last.

    `games` is the number of the bot's games in that period.
    """

    period: int
    closed_at: datetime
    value: float
    low: float
    high: float
    version: int
    games: int


def rating_history(bot: Bot, ladder: Ladder, size: int = PERIODS_SHOWN) -> list[Point]:
    """Return the bot's newest rating periods on the ladder, oldest first; four queries."""
    rating = Rating.objects.filter(bot=bot, ladder=ladder).first()
    if rating is None:
        return []
    newest = list(RatingChange.objects.filter(bot=bot, period__ladder=ladder).order_by("-period")
                  .values_list("period", flat=True).distinct()[:size])
    by_period: dict[int, list[tuple[float, float, float, int]]] = defaultdict(list)
    for period, *row in _changes(bot, newest):
        by_period[period].append(tuple(row))
    points, information = [], rating.information
    for period in sorted(Period.objects.in_bulk(newest).values(), key=lambda period: -period.number):
        changes = by_period[period.pk]
        # Changes are summed as they were when rated; going back in time, information is subtracted again.
        half = elo.half_width(information)
        *_, value = accumulate((change for _, change, *_ in changes), initial=changes[0][0])
        points.append(Point(period.number, period.closed_at, value, value - half, value + half,
                            version=changes[-1][3], games=len(changes)))
        information -= sum(elo.game_information(before - opponent) for before, _, opponent, _ in changes)
    return points[::-1]


def _changes(bot: Bot, periods: list[int]) -> QuerySet[RatingChange]:
    """Return period, rating before, change, opponent's rating before and version number, in the order of rating."""
    opponent = RatingChange.objects.filter(game=OuterRef("game")).exclude(bot=bot).values("before")[:1]
    version = Case(When(game__seat0__bot=bot, then=F("game__seat0__number")), default=F("game__seat1__number"))
    return (RatingChange.objects.filter(bot=bot, period__in=periods).order_by("game__match_id", "game__number")
            .values_list("period", "before", "change", Subquery(opponent), version))
