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
    """Games that this person may see (None: nobody in particular) for lists, newest first.

    With both sides and the event, without the record and the logs. Each has `place`, by which pages follow one
    another: its id, but read from where the newest games are found without looking at others.
    """
    return _listed(Game.objects.filter(_visible(user, "event")), "id")


def filtered(
    *, user: Any = None, bot: str = "", opponent: str = "", version: int | None = None, ladder: str = "",
    event: str = "", ruleset: str = "", kind: str = "", ended_by: str = "", reason: str = "",
    result: str = "", since: datetime | None = None, until: datetime | None = None,
) -> QuerySet[Game]:
    """Games as in `games`: of a bot, against an opponent, of a version (id), and so on; what is empty filters nothing.

    Bots, ladder and event go by slug. `result` is the bot's, "won", "drawn" or "lost"; without a bot or a version,
    "won" by who moved first and "lost" by them. `since` and `until` are about the game's end, and `until` is not
    included.
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
    """Games that this person may see with their records, for the replay page; the logs stay behind."""
    return (Game.objects.filter(_visible(user, "event"))
            .select_related("seat0__bot__owner", "seat1__bot__owner", "match__ladder", "event", "match__round",
                            "attempt")
            .defer("stderr0", "stderr1"))


def logged_games(user: Any) -> QuerySet[Game]:
    """Games that this person may see with what the bots wrote to stderr, which only those may see who act for them."""
    return (Game.objects.filter(_visible(user, "event"))
            .select_related("seat0__bot", "seat1__bot", "match__ladder", "event").defer("record"))


def matches(user: Any = None) -> QuerySet[Match]:
    """Matches that this person may see, newest first, with both sides, the event, attempts and games' ids."""
    return (Match.objects.filter(_visible(user, "event"))
            .select_related("event", "round")
            .prefetch_related(Prefetch("first", _versions()), Prefetch("second", _versions()),
                              Prefetch("attempts", Attempt.objects.order_by("number")),
                              Prefetch("games", Game.objects.order_by("number").only("match", "number")))
            .order_by("-id"))


def with_games(matches: QuerySet[Match]) -> QuerySet[Match]:
    """These matches with both sides and the games (without records)."""
    games = Game.objects.order_by("number").select_related("seat0__bot", "seat1__bot")
    return matches.select_related("first__bot", "second__bot").prefetch_related(
        Prefetch("games", games.defer("record", "stderr0", "stderr1")))


def _sides(bot: str, opponent: str, version: int | None) -> Q:
    """One side of each game. Of two builds of the same bot that play each other, the first seat's."""
    sides = Q(sides__seat=0) | ~Q(sides__opponent=F("sides__bot"))
    if bot:
        sides &= Q(sides__bot=Bot.objects.filter(slug=bot).values("pk")[:1])
    if opponent:
        sides &= Q(sides__opponent=Bot.objects.filter(slug=opponent).values("pk")[:1])
    if version is not None:
        sides = (sides if bot else Q()) & Q(sides__version=version)
    return sides


def _listed(found: QuerySet[Game], place: str) -> QuerySet[Game]:
    # The annotation reads the join that the filter made, so that the index of sides gives the order.
    # The players in queries of their own: to plan a join of nine tables takes ten times as long as to make it.
    return (found.annotate(place=F(place)).order_by("-place").defer("record", "stderr0", "stderr1")
            .select_related("match__ladder", "event", "match__round")
            .prefetch_related(Prefetch("seat0", _versions()), Prefetch("seat1", _versions())))


def _versions() -> QuerySet[Version]:
    # Lists show no more of them, and rows of many columns take long to make.
    return Version.objects.select_related("bot").only("number", "bot__slug", "bot__name")


def _visible(user: Any, at: str) -> Q:
    return visible_events(user or AnonymousUser(), at)
