"""Reads about games and matches."""

from django.db.models import Prefetch, Q, QuerySet

from tournaments.models import Attempt, Bot, Game, Match


def games() -> QuerySet[Game]:
    """Games for lists, newest first: with both sides and the event, without the record and the logs."""
    return (Game.objects.select_related("seat0__bot", "seat1__bot", "match__ladder", "match__event", "match__round")
            .defer("record", "stderr0", "stderr1").order_by("-id"))


def games_of(bot: Bot) -> QuerySet[Game]:
    """A bot's games, newest first."""
    return games().filter(Q(seat0__bot=bot) | Q(seat1__bot=bot))


def filtered(*, bot: str = "", opponent: str = "", event: str = "") -> QuerySet[Game]:
    """Games, newest first, of a bot, against an opponent, in an event, by slug; "" filters nothing."""
    found = games()
    for slug in filter(None, (bot, opponent)):
        found = found.filter(Q(seat0__bot__slug=slug) | Q(seat1__bot__slug=slug))
    return found.filter(match__event__slug=event) if event else found


def whole_games() -> QuerySet[Game]:
    """Games with their records, for the replay page; the logs stay behind."""
    return (Game.objects.select_related("seat0__bot__owner", "seat1__bot__owner", "match__ladder", "match__event",
                                        "match__round", "attempt")
            .defer("stderr0", "stderr1"))


def matches() -> QuerySet[Match]:
    """Matches, newest first, with both sides, the event, attempts and games (without records)."""
    return (Match.objects.select_related("first__bot", "second__bot", "ladder", "event", "round")
            .prefetch_related(Prefetch("attempts", Attempt.objects.order_by("number")),
                              Prefetch("games", Game.objects.order_by("number").defer("record", "stderr0", "stderr1")))
            .order_by("-id"))
