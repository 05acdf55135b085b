"""Write ratings: the games of a period as lists sort them, and each bot's rating and history after a fit.

Callers hold the ladder's lock and a transaction, and pass the games: nothing here reads tournaments.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Count

from ratings.chances import decided
from ratings.models import OfficialLine, OfficialTable, RatedGame, Rating, RatingPoint, Statistics

# Rating of a bot before the first fit of its games: the centre of the scale.
INITIAL: Final = 1500.0
# A history of this many points is thinned to half of them, at most this many histories after one fit.
MOST_POINTS: Final = 300
_THINNED: Final = 50
_BATCH: Final = 500
_FACTS: Final = ("bot_id", "version_id", "value", "low", "high", "error", "games", "wins", "draws", "losses", "rank")
_READ: Final = ("table", "version__bot", "version__number", "rating", *_FACTS[3:])


class Played(NamedTuple):
    """A game: its ID, the bots and versions (IDs) by seat, and the winning seat or None."""

    game: int
    bots: tuple[int, int]
    versions: tuple[int, int]
    winner: int | None


def rate_games(*, ladder_id: int, period: int, games: Sequence[Played], now: datetime) -> None:
    """Store these games with the ratings that both sides had in the ladder's last fit."""
    table = OfficialTable.objects.filter(ladder=ladder_id).first()
    facts = {"eta": table.eta, "nu": table.nu} if table else {}
    versions = {version for game in games for version in game.versions}
    of_version = dict(OfficialLine.objects.filter(table=table, version__in=versions).order_by()
                      .values_list("version", "rating")) if table else {}
    bots = {bot for game in games for bot in game.bots}
    of_bot = dict(Rating.objects.filter(ladder=ladder_id, bot__in=bots).order_by().values_list("bot", "value"))
    rows = []
    for game in games:
        # A new version is taken to be as strong as the one before it.
        first, second = (of_version.get(version, of_bot.get(bot, INITIAL))
                         for version, bot in zip(game.versions, game.bots, strict=True))
        first_wins = decided(first - second, **facts)
        chance = None if game.winner is None else first_wins if game.winner == 0 else 1.0 - first_wins
        rows.append(RatedGame(game_id=game.game, ladder_id=ladder_id, period=period, rated_at=now,
                              level=(first + second) / 2, lead=first - second, chance=chance))
    RatedGame.objects.bulk_create(rows, batch_size=_BATCH)


def next_period(ladder_id: int) -> int:
    """Return the number of the ladder's next rating period."""
    return (Statistics.objects.filter(ladder=ladder_id).values_list("period", flat=True).first() or 0) + 1


def publish(*, table: OfficialTable, plays: Mapping[int, int]) -> None:
    """Store the rating of each bot, and a point of its history if its version or number of games has changed.

    `plays` are the versions that play on the ladder, by bot (IDs).
    """
    before = {rating.bot_id: rating for rating in Rating.objects.filter(ladder=table.ladder_id)}
    ratings, points = _chosen(table, plays), []
    for rating in ratings:
        known = before.get(rating.bot_id)
        if known is None or (known.version_id, known.games) != (rating.version_id, rating.games):
            points.append(RatingPoint(ladder_id=table.ladder_id, bot_id=rating.bot_id, at=table.computed_at,
                                      version=rating.version.number, value=rating.value, low=rating.low,
                                      high=rating.high))
    RatingPoint.objects.bulk_create(points, batch_size=_BATCH, update_conflicts=True,
                                    unique_fields=["bot", "ladder", "at"],
                                    update_fields=["version", "value", "low", "high"])
    _thin(table.ladder_id, [point.bot_id for point in points])
    Rating.objects.filter(ladder=table.ladder_id).delete()
    Rating.objects.bulk_create(ratings, batch_size=_BATCH)


def published(*, table: OfficialTable, plays: Mapping[int, int]) -> bool:
    """Whether the stored ratings are those that `publish` stores."""
    stored = Rating.objects.filter(ladder=table.ladder_id).order_by("rank")
    return ([[getattr(rating, name) for name in _FACTS] for rating in stored]
            == [[getattr(rating, name) for name in _FACTS] for rating in _chosen(table, plays)])


def _chosen(table: OfficialTable, plays: Mapping[int, int]) -> list[Rating]:
    """The bots' ratings, best first: of the version that plays, or else of the newest one in the table."""
    lines: dict[int, OfficialLine] = {}
    for line in table.lines.select_related("version").only(*_READ).order_by("version__number"):
        bot = line.version.bot_id
        if bot not in lines or lines[bot].version_id != plays.get(bot):
            lines[bot] = line
    ranked = sorted(lines.items(), key=lambda item: item[1].rank)
    return [Rating(ladder_id=table.ladder_id, bot_id=bot, version=line.version, value=line.rating, low=line.low,
                   high=line.high, error=line.error, games=line.games, wins=line.wins, draws=line.draws,
                   losses=line.losses, rank=rank) for rank, (bot, line) in enumerate(ranked, start=1)]


def superfluous(times: Sequence[float], kept: int) -> list[int]:
    """Return the indices of the points to delete from an ascending history, so that at most `kept` remain.

    The span is cut into equal parts, and the last point of each part stays: a plot of that many columns is unchanged.
    The first point stays as well.
    """
    start, span = times[0], (times[-1] - times[0]) or 1.0
    part = [min(int((time - start) / span * (kept - 1)), kept - 2) for time in times]
    return [index for index in range(1, len(times) - 1) if part[index] == part[index + 1]]


def _thin(ladder_id: int, bots: Collection[int]) -> None:
    """Delete about half of the points of those bots whose histories are long, the longest first."""
    histories = RatingPoint.objects.filter(ladder=ladder_id)
    counted = histories.filter(bot__in=bots).order_by().values("bot").annotate(points=Count("pk"))
    long = counted.filter(points__gte=MOST_POINTS).order_by("-points", "bot").values_list("bot", flat=True)[:_THINNED]
    stored: dict[int, list[tuple[int, float]]] = {bot: [] for bot in long}
    rows = histories.filter(bot__in=list(stored)).order_by("at")
    for pk, bot, at in rows.values_list("pk", "bot", "at"):
        stored[bot].append((pk, at.timestamp()))
    gone = [points[index][0] for points in stored.values()
            for index in superfluous([at for _, at in points], MOST_POINTS // 2)]
    for start in range(0, len(gone), _BATCH):
        RatingPoint.objects.filter(pk__in=gone[start:start + _BATCH]).delete()
