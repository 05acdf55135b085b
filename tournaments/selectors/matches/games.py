"""Reads about games and matches."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, Prefetch, Q, QuerySet

from tournaments.models import Attempt, Bot, Event, Game, Ladder, Match, Version
from tournaments.selectors.events.events import visible_events

# A result as the score of a bot's side, and as the winning seat.
_SCORES = {"won": 1.0, "drawn": 0.5, "lost": 0.0}
_WINNERS = {"won": 0, "drawn": None, "lost": 1}
RESULTS = tuple(_WINNERS)


def games(user: Any = None) -> QuerySet[Game]:
    """Return games that this user may see (None: an anonymous user), for lists, newest first.

    They have both sides and the event, without the record and the logs. Each has `place`, the cursor for pages: it is
    the game's ID, but read from an index in which the newest games are found without reading others.
    """
    return _listed(Game.objects.filter(_visible(user, "event")), "id")


def filtered(
    *, user: Any = None, bot: str = "", opponent: str = "", version: int | None = None, ladder: str = "",
    event: str = "", ruleset: str = "", kind: str = "", ended_by: str = "", reason: str = "",
    result: str = "", since: datetime | None = None, until: datetime | None = None,
) -> QuerySet[Game]:
    """Return games as in `games`, by bot, opponent, version (ID), and so on; empty filters are ignored.

    Bots, ladder and event are given by slug. `result` is the bot's: "won", "drawn" or "lost"; without a bot or a
    version, it is the first player's. `since` and `until` refer to the end of the game, and `until` is exclusive.
    """
    if opponent and not bot:
        bot, opponent = opponent, ""
    found = Game.objects.filter(_visible(user, "event"))
    exact = {"event": Event.objects.filter(slug=event).values("pk")[:1] if event else None,
             "match__ladder": Ladder.objects.filter(slug=ladder).values("pk")[:1] if ladder else None,
             "match__ruleset": ruleset, "match__kind": kind, "ended_by": ended_by, "reason": reason,
             "ended_at__gte": since, "ended_at__lt": until}
    found = found.filter(**{name: value for name, value in exact.items() if value is not None and value != ""})
    if not bot and version is None:
        return _listed(found.filter(winner=_WINNERS[result]) if result else found, "id")
    sides = _sides(bot, opponent, version)
    if result:
        sides &= Q(sides__score=_SCORES[result])
    return _listed(found.filter(sides), "sides__game_id")


def whole_games(user: Any = None) -> QuerySet[Game]:
    """Return games that this user may see with their records, for the replay page, without the logs."""
    return (Game.objects.filter(_visible(user, "event"))
            .select_related("seat0__bot__owner", "seat1__bot__owner", "match__ladder", "event", "match__round",
                            "attempt")
            .defer("stderr0", "stderr1"))


def logged_games(user: Any) -> QuerySet[Game]:
    """Return games that this user may see with the bots' stderr, which only users who act for the bot may see."""
    return (Game.objects.filter(_visible(user, "event"))
            .select_related("seat0__bot", "seat1__bot", "match__ladder", "event").defer("record"))


def matches(user: Any = None) -> QuerySet[Match]:
    """Return matches that this user may see, newest first, with both sides, the event, attempts and games' IDs."""
    return (Match.objects.filter(_visible(user, "event"))
            .select_related("event", "round")
            .prefetch_related(Prefetch("first", _versions()), Prefetch("second", _versions()),
                              Prefetch("attempts", Attempt.objects.order_by("number")),
                              Prefetch("games", Game.objects.order_by("number").only("match", "number")))
            .order_by("-id"))


def with_games(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Return these matches with both sides and the games (without records)."""
    games = Game.objects.order_by("number").select_related("seat0__bot", "seat1__bot")
    return matches.select_related("first__bot", "second__bot").prefetch_related(
        Prefetch("games", games.defer("record", "stderr0", "stderr1")))


def _sides(bot: str, opponent: str, version: int | None) -> Q:
    """Return the condition on one side of each game: the first seat's if two versions of a bot played each other."""
    sides = Q(sides__seat=0) | ~Q(sides__opponent=F("sides__bot"))
    if bot:
        sides &= Q(sides__bot=Bot.objects.filter(slug=bot).values("pk")[:1])
    if opponent:
        sides &= Q(sides__opponent=Bot.objects.filter(slug=opponent).values("pk")[:1])
    if version is not None:
        sides = (sides if bot else Q()) & Q(sides__version=version)
    return sides


def _listed(found: QuerySet[Game], place: str) -> QuerySet[Game]:
    # The annotation reads the filter's join, so that the index of sides gives the order. The players are read by
    # queries of their own: planning a join of nine tables takes ten times as long as running it.
    return (found.annotate(place=F(place)).order_by("-place").defer("record", "stderr0", "stderr1")
            .select_related("match__ladder", "event", "match__round")
            .prefetch_related(Prefetch("seat0", _versions()), Prefetch("seat1", _versions())))


def _versions() -> QuerySet[Version]:
    # Lists show only these columns, and rows of many columns take long to build.
    return Version.objects.select_related("bot").only("number", "bot__slug", "bot__name")


def _visible(user: Any, at: str) -> Q:
    return visible_events(user or AnonymousUser(), at)
