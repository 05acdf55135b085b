"""The results of all games of a ladder as CSV, from which `squarefield rate --official` computes its ratings."""

import csv
import io
from collections.abc import Iterator
from typing import Any, Final

from engines.sandbox.isolation.limits import Tier
from ratings.rate.games import OFFICIAL
from tournaments.models import Game, Ladder, Match
from tournaments.selectors.events.events import visible_events

_MATCHES_AT_ONCE: Final = 500
_POINTS: Final = {0: "1", 1: "0", None: "0.5"}


def results_csv(ladder: Ladder, user: Any) -> Iterator[str]:
    """Yield the file's text, in parts: all games of the ladder that this user may see, by match and number.

    Each part is read by queries of its own, so that a slow download keeps no transaction open.
    """
    yield _text([OFFICIAL])
    last = 0
    while matches := list(Match.objects.filter(ladder=ladder, pk__gt=last).order_by("pk")
                          .values_list("pk", flat=True)[:_MATCHES_AT_ONCE]):
        games = (Game.objects.filter(visible_events(user, "event"), match__in=matches).order_by("match_id", "number")
                 .values_list("seat0__bot__slug", "seat1__bot__slug", "winner", "match__opening",
                              "match__rating_period", "attempt__tier", "seat0__number", "seat1__number", "seat0_id",
                              "seat1_id"))
        yield _text(_row(*game) for game in games)
        last = matches[-1]


def _row(first: str, second: str, winner: int | None, opening: list[str], period: int | None, tier: str,
         *versions: int) -> tuple[str, ...]:
    """Return a game's fields. It is rated once its rating period has ended, unless it was played without isolation."""
    rated = period is not None and tier != Tier.UNSAFE_LOCAL
    return (first, second, _POINTS[winner], " ".join(opening), str(period) if rated else "", "yes" if rated else "no",
            *map(str, versions))


def _text(rows: Any) -> str:
    part = io.StringIO(newline="")
    csv.writer(part, lineterminator="\n").writerows(rows)
    return part.getvalue()
