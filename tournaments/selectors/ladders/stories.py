"""Reads about stories: the rated games that they are found in, and those that the front page shows."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Sum

from engines.records.record import EndedBy
from engines.rules.outcome import Ending
from ratings.models import OfficialLine, RatedGame
from tournaments.models import Game, Stories
from tournaments.selectors.events.events import visible_events
from tournaments.selectors.matches.games import games, whole_games
from tournaments.stories.facts import Fact

# Stories are about the games of this time before the newest one, and at most this many.
PERIOD: Final = timedelta(days=30)
MOST_GAMES: Final = 10_000
_COLUMNS: Final = ("game_id", "ladder_id", "game__seat0__bot_id", "game__seat1__bot_id", "game__winner",
                   "game__ended_by", "game__reason", "game__plies", "game__ended_at", "level", "lead", "chance")


@dataclass(frozen=True, slots=True)
class Told:
    """The stories of the front page with their games, and the game of the day with its record, if any."""

    row: Stories
    listed: list[tuple[dict[str, Any], Game]]
    of_the_day: Game | None


@dataclass(frozen=True, slots=True)
class Recent:
    """The newest rated games, the oldest first, and when the first and the last of them ended."""

    facts: list[Fact]
    since: datetime | None
    until: datetime | None


def newest_rated_game() -> int:
    """Return the ID of the newest rated game, or 0."""
    return RatedGame.objects.order_by("-game_id").values_list("game_id", flat=True).first() or 0


def recent() -> Recent:
    """Return the public rated games of the last PERIOD, at most MOST_GAMES."""
    rows = list(RatedGame.objects.filter(visible_events(AnonymousUser(), "game__event"))
                .order_by("-game_id").values_list(*_COLUMNS)[:MOST_GAMES])
    until = max((row[8] for row in rows), default=None)
    rows = [row for row in rows if until and row[8] >= until - PERIOD]
    played = _played({row[1] for row in rows})
    facts = []
    # The newest first, so that the numbers of games before each one follow from today's numbers.
    for game, ladder, first, second, winner, by, reason, plies, at, level, lead, chance in rows:
        before = tuple(max(played.get((ladder, bot), 0) - 1, 0) for bot in (first, second))
        played |= {(ladder, bot): number for bot, number in zip((first, second), before, strict=True)}
        facts.append(Fact(
            game=game, ladder=ladder, bots=(first, second), winner=winner, plies=plies, level=level, lead=lead,
            chance=chance,
            played_out=by == EndedBy.RULE and reason != Ending.RESIGNATION, day=at.astimezone(UTC).date(),
            games=(before[0], before[1])))
    return Recent(facts[::-1], min((row[8] for row in rows), default=None), until)


def told() -> Told | None:
    """Return the stories for the front page; None before the first computation.

    Games that are no longer public are left out.
    """
    row = Stories.objects.first()
    if row is None:
        return None
    found = games().in_bulk([story["game"] for story in row.listed])
    chosen = whole_games().filter(pk=row.of_the_day["game"]).first() if row.of_the_day else None
    return Told(row, [(story, found[story["game"]]) for story in row.listed if story["game"] in found], chosen)


def records(ids: list[int]) -> dict[int, dict[str, Any]]:
    """Return the records of these games by ID."""
    return dict(Game.objects.filter(pk__in=ids).values_list("pk", "record"))


def _played(ladders: set[int]) -> dict[tuple[int, int], int]:
    rows = (OfficialLine.objects.filter(table__ladder__in=ladders).order_by().values("table__ladder", "version__bot")
            .annotate(played=Sum("games")).values_list("table__ladder", "version__bot", "played"))
    return {(ladder, bot): games for ladder, bot, games in rows}
