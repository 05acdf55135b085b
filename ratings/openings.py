"""Counts of the turns of rated games, added game by game, each exactly once.

Callers hold the lock of the ladder's `OpeningCount` and pass the games: nothing here reads tournaments.
"""

from bisect import bisect
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from django.db import connection

from ratings.models import OpeningCount, OpeningTurn

# Bands of the mean of both ratings: below the first limit, from each limit on.
BAND_LIMITS: Final = (1400, 1600, 1800)
BANDS: Final = len(BAND_LIMITS) + 1
_ROWS: Final = 1000
_ROWS_DELETED: Final = 20_000
_TABLE: Final = OpeningTurn._meta.db_table  # noqa: SLF001 - documented Django API
_INSERT: Final = f"INSERT INTO {_TABLE} (place, turn, band, ladder_id, games, wins, draws, newest) VALUES"
_ROW: Final = "(%s, %s, %s, %s, %s, %s, %s, %s)"
_ADDED: Final = ", ".join(f"{name} = {_TABLE}.{name} + excluded.{name}" for name in ("games", "wins", "draws"))
_ON_CONFLICT: Final = (f"ON CONFLICT (place, turn, band, ladder_id) DO UPDATE SET {_ADDED}, newest = CASE WHEN "
                       f"excluded.newest > {_TABLE}.newest THEN excluded.newest ELSE {_TABLE}.newest END")


class Followed(NamedTuple):
    """A game: its ID, the winning seat or None, the mean rating, and the key of each place with the turn there."""

    game: int
    winner: int | None
    level: float
    path: Sequence[tuple[int, str]]


def band_of(level: float) -> int:
    """Return the band of a mean rating, 0 for the lowest."""
    return bisect(BAND_LIMITS, level)


def add(*, ladder_id: int, games: Iterable[Followed]) -> None:
    """Add the turns of these games, with one statement per thousand rows."""
    found: dict[tuple[int, str, int], list[int]] = {}
    for game in games:
        band = band_of(game.level)
        for place, turn in game.path:
            row = found.setdefault((place, turn, band), [0, 0, 0, 0])
            row[0] += 1
            row[1] += game.winner == 0
            row[2] += game.winner is None
            row[3] = max(row[3], game.game)
    # In order, so that neighbouring entries of the index are written together.
    with connection.cursor() as cursor:
        rows = sorted(found.items())
        for start in range(0, len(rows), _ROWS):
            some = rows[start:start + _ROWS]
            cursor.execute(
                f"{_INSERT} {', '.join([_ROW] * len(some))} {_ON_CONFLICT}",
                [value for key, counts in some for value in (*key, ladder_id, *counts)])


def forget(*, ladder_id: int) -> None:
    """Have all turns of the ladder deleted and recounted, batch by batch."""
    OpeningCount.objects.filter(ladder=ladder_id).update(clearing=True)


def delete_some(*, ladder_id: int) -> bool:
    """Delete a batch of the ladder's rows; return whether it was the last."""
    rows = OpeningTurn.objects.filter(ladder=ladder_id)
    last = rows.order_by("place").values_list("place", flat=True)[_ROWS_DELETED:_ROWS_DELETED + 1].first()
    (rows if last is None else rows.filter(place__lt=last)).delete()
    return last is None
