"""Facts for the director: ratings and standings of running games, upsets, and the next matches. Public games only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q

from ratings.models import Rating
from ratings.score import UPSET_CHANCE
from tournaments.models import Game, Ladder, Match
from tournaments.models.lifecycle import MatchStatus
from tournaments.selectors.events.events import visible_events
from tournaments.selectors.events.tables import Standing, standings
from tournaments.selectors.matches.games import games
from tournaments.selectors.matches.live import LiveGame

# The newest games among which upsets are looked for.
_EXAMINED: Final = 200

# Ratings in Elo by ladder and bot.
Ratings = dict[tuple[int, int], float]


@dataclass(frozen=True, slots=True)
class Upset:
    """A win that the ratings made improbable: `before` are the ratings by seat, `chance` as in `RatedGame`."""

    game: Game
    before: tuple[float, float]
    chance: float


def ratings_of(matches: Sequence[Match]) -> Ratings:
    """Return the ratings of the players of these matches; one query."""
    wanted = Q(pk__in=())
    for match in matches:
        wanted |= Q(ladder=match.ladder_id, bot__in=(match.first.bot_id, match.second.bot_id))
    return {(ladder, bot): value
            for ladder, bot, value in Rating.objects.filter(wanted).values_list("ladder", "bot", "value")}


def tables_of(playing: Sequence[LiveGame]) -> dict[int, list[Standing]]:
    """Return the standings of the events to which these games belong, by the event's ID."""
    events = {live.match.event_id: live.match.event for live in playing if live.match.event is not None}
    return {pk: standings(event) for pk, event in events.items()}


def gap(match: Match, table: Sequence[Standing]) -> float | None:
    """Return the points between the players of the match in their event; None if they are not both in one table."""
    rows = {line.entry.bot_id: line.row for line in table}
    first, second = rows.get(match.first.bot_id), rows.get(match.second.bot_id)
    if first is None or second is None or first.table != second.table:
        return None
    return abs(first.points - second.points)


def upsets(count: int) -> list[Upset]:
    """Return the last upsets among the newest games, the newest first."""
    newest = games().values("pk")[:_EXAMINED]
    found = list(Game.objects.filter(pk__in=list(newest.values_list("pk", flat=True)), rated__chance__lte=UPSET_CHANCE)
                 .select_related("seat0__bot", "seat1__bot", "rated")
                 .defer("record", "stderr0", "stderr1").order_by("-pk")[:count])
    return [Upset(game, game.rated.before, game.rated.chance) for game in found]


def next_matches(count: int) -> list[Match]:
    """Return the matches that are queued next, the oldest first."""
    queued = Match.objects.filter(visible_events(AnonymousUser(), "event"), status=MatchStatus.QUEUED, held=False)
    return list(queued.select_related("first__bot", "second__bot", "ladder").order_by("pk")[:count])


def leaders_of_ladder(ladder: Ladder, count: int) -> list[Rating]:
    """Return the first lines of the ladder."""
    return list(Rating.objects.filter(ladder=ladder).select_related("bot").order_by("rank")[:count])
