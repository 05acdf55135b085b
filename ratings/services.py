"""Write ratings: one period at a time, or a whole ladder rebuilt from its games.

Callers hold the ladder's lock and a transaction, and pass the games of each period: nothing here reads tournaments.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from ratings import elo
from ratings.models import Period, Rating, RatingChange
from ratings.models.upsert import save

_BATCH = 1000


def apply_period(*, ladder_id: int, round_id: int | None, results: Sequence[elo.Result], now: datetime) -> Period:
    """Close the ladder's next period with these games, of a round or of ladder play, in the order of summation."""
    number = Period.objects.filter(ladder=ladder_id).count() + 1
    period = Period.objects.create(ladder_id=ladder_id, number=number, round_id=round_id, closed_at=now)
    ratings = {rating.bot_id: rating for rating in Rating.objects.filter(ladder=ladder_id)}
    changes, after = elo.rate_period({bot: _standing(rating) for bot, rating in ratings.items()}, results)
    RatingChange.objects.bulk_create(_rows(period, changes), batch_size=_BATCH)
    _save(ladder_id, ratings, after)
    return period


def recompute(
    periods: Iterable[tuple[Period, Sequence[elo.Result]]]
) -> tuple[list[RatingChange], dict[int, elo.Standing]]:
    """Compute a ladder's changes and standings from its periods, in order, without saving them."""
    standings: dict[int, elo.Standing] = {}
    rows: list[RatingChange] = []
    for period, results in periods:
        changes, after = elo.rate_period(standings, results)
        standings |= after
        rows += _rows(period, changes)
    return rows, standings


def matches_stored(*, ladder_id: int, changes: Sequence[RatingChange], standings: dict[int, elo.Standing]) -> bool:
    """Whether the ladder's stored rows equal these, bit for bit."""
    stored = RatingChange.objects.filter(period__ladder=ladder_id).order_by("period__number", "pk")
    fields = ("period_id", "game_id", "bot_id", "before", "change")
    wanted = sorted(tuple(getattr(change, field) for field in fields) for change in changes)
    ratings = {rating.bot_id: rating for rating in Rating.objects.filter(ladder=ladder_id)}
    ranks = elo.ranks({bot: standing.value for bot, standing in standings.items()})
    return (sorted(stored.values_list(*fields)) == wanted
            and {bot: _standing(rating) for bot, rating in ratings.items()} == standings
            and {bot: rating.rank for bot, rating in ratings.items()} == ranks)


def replace_all(*, ladder_id: int, changes: Sequence[RatingChange], standings: dict[int, elo.Standing]) -> None:
    """Replace the ladder's rows with these."""
    RatingChange.objects.filter(period__ladder=ladder_id).delete()
    RatingChange.objects.bulk_create(changes, batch_size=_BATCH)
    Rating.objects.filter(ladder=ladder_id).exclude(bot__in=standings).delete()
    _save(ladder_id, {rating.bot_id: rating for rating in Rating.objects.filter(ladder=ladder_id)}, standings)


def _standing(rating: Rating) -> elo.Standing:
    return elo.Standing(rating.value, rating.information, rating.games, rating.wins, rating.draws)


def _rows(period: Period, changes: Iterable[elo.Change]) -> list[RatingChange]:
    return [RatingChange(period=period, game_id=change.game, bot_id=change.player, before=change.before,
                         change=change.change) for change in changes]


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
