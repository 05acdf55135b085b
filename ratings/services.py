"""Write ratings: one period at a time, or a whole ladder rebuilt from its games.

Callers hold the ladder's lock and a transaction, and pass the games of each period: nothing here reads tournaments.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from ratings import elo, openings
from ratings.models import Period, RatedGame, Rating, RatingChange
from ratings.models.upsert import save

_BATCH = 1000


class Recomputed(NamedTuple):
    """A ladder's rows, computed from its games: rating changes, games for lists, and standings by bot (ID)."""

    changes: list[RatingChange]
    games: list[RatedGame]
    standings: dict[int, elo.Standing]


def apply_period(*, ladder_id: int, round_id: int | None, results: Sequence[elo.Result], now: datetime) -> Period:
    """Close the ladder's next period with these games, of a round or of ladder play, in the order of summation."""
    number = Period.objects.filter(ladder=ladder_id).count() + 1
    period = Period.objects.create(ladder_id=ladder_id, number=number, round_id=round_id, closed_at=now)
    ratings = {rating.bot_id: rating for rating in Rating.objects.filter(ladder=ladder_id)}
    changes, after = elo.rate_period({bot: _standing(rating) for bot, rating in ratings.items()}, results)
    RatingChange.objects.bulk_create(_rows(period, changes), batch_size=_BATCH)
    RatedGame.objects.bulk_create(_games(period, results, changes), batch_size=_BATCH)
    _save(ladder_id, ratings, after)
    return period


def recompute(periods: Iterable[tuple[Period, Sequence[elo.Result]]]) -> Recomputed:
    """Compute a ladder's rows from its periods, in order, without saving them."""
    found = Recomputed([], [], {})
    for period, results in periods:
        changes, after = elo.rate_period(found.standings, results)
        found.standings.update(after)
        found.changes.extend(_rows(period, changes))
        found.games.extend(_games(period, results, changes))
    return found


def matches_stored(*, ladder_id: int, computed: Recomputed) -> bool:
    """Whether the ladder's stored rows equal these, bit for bit."""
    ratings = {rating.bot_id: rating for rating in Rating.objects.filter(ladder=ladder_id)}
    ranks = elo.ranks({bot: standing.value for bot, standing in computed.standings.items()})
    return (_same(RatingChange.objects.filter(period__ladder=ladder_id), computed.changes,
                  ("period_id", "game_id", "bot_id", "before", "change"))
            and _same(RatedGame.objects.filter(period__ladder=ladder_id), computed.games,
                      ("period_id", "game_id", "level", "chance"))
            and {bot: _standing(rating) for bot, rating in ratings.items()} == computed.standings
            and {bot: rating.rank for bot, rating in ratings.items()} == ranks)


def replace_all(*, ladder_id: int, computed: Recomputed) -> None:
    """Replace the ladder's rows with these; openings, which depend on the ratings, will be counted again."""
    for stored, rows in ((RatingChange.objects, computed.changes), (RatedGame.objects, computed.games)):
        stored.filter(period__ladder=ladder_id).delete()
        stored.bulk_create(rows, batch_size=_BATCH)
    Rating.objects.filter(ladder=ladder_id).exclude(bot__in=computed.standings).delete()
    _save(ladder_id, {rating.bot_id: rating for rating in Rating.objects.filter(ladder=ladder_id)}, computed.standings)
    openings.forget(ladder_id=ladder_id)


def _same(stored: QuerySet[Any], computed: Sequence[Any], fields: tuple[str, ...]) -> bool:
    return (sorted(stored.order_by().values_list(*fields))
            == sorted(tuple(getattr(row, field) for field in fields) for row in computed))


def _standing(rating: Rating) -> elo.Standing:
    return elo.Standing(rating.value, rating.information, rating.games, rating.wins, rating.draws)


def _rows(period: Period, changes: Iterable[elo.Change]) -> list[RatingChange]:
    return [RatingChange(period=period, game_id=change.game, bot_id=change.player, before=change.before,
                         change=change.change) for change in changes]


def _games(period: Period, results: Sequence[elo.Result], changes: Sequence[elo.Change]) -> Iterator[RatedGame]:
    """The period's games; each has two of these changes, in the order of seats."""
    for result, first, second in zip(results, changes[::2], changes[1::2], strict=True):
        yield RatedGame(period=period, game_id=result.game, level=(first.before + second.before) / 2,
                        chance=elo.chance_of(result.score, first.before - second.before))


def _save(ladder_id: int, ratings: dict[int, Rating], after: dict[int, elo.Standing]) -> None:
    """Write the standings after a period, and every rank that changes."""
    rated = dict(ratings)
    for bot, standing in after.items():
        rating = rated.setdefault(bot, Rating(ladder_id=ladder_id, bot_id=bot, rank=0))
        rating.value, rating.information = standing.value, standing.information
        rating.games, rating.wins, rating.draws = standing.games, standing.wins, standing.draws
    ranks = elo.ranks({bot: rating.value for bot, rating in rated.items()})
    changed = [rating for bot, rating in rated.items() if bot in after or rating.rank != ranks[bot]]
    for rating in changed:
        rating.rank = ranks[rating.bot_id]
    save(changed, ["value", "information", "games", "wins", "draws", "rank"])
