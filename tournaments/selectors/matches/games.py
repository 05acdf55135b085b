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
# Orders of lists other than the newest first. Each begins an index, so that the first games are found without the rest.
_ORDERS = {"upset": ("rated__chance", "-rated__game_id"), "longest": ("-plies", "-id"), "shortest": ("plies", "id"),
           "rating": ("-rated__level", "-rated__game_id")}
SORTS = tuple(_ORDERS)
# Games of a sorted list: later pages would read everything before them.
MOST_SORTED = 300
# A sorted list of a bot (or by another filter that none of the orders' indexes helps with) is sorted in memory: only
# its newest games, up to this number.
MOST_EXAMINED = 1000


def games(user: Any = None) -> QuerySet[Game]:
    """Return games that this user may see (None: an anonymous user), for lists, newest first.

    They have both sides and the event, without the record and the logs. Each has `place`, the cursor for pages: it is
    the game's ID, but read from an index in which the newest games are found without reading others.
    """
    return _listed(Game.objects.filter(_visible(user, "event")), "id")


def filtered(
    *, user: Any = None, bot: str = "", opponent: str = "", version: int | None = None, ladder: str = "",
    event: str = "", ruleset: str = "", kind: str = "", ended_by: str = "", reason: str = "",
    result: str = "", since: datetime | None = None, until: datetime | None = None, sort: str = "",
) -> QuerySet[Game]:
    """Return games as in `games`, by bot, opponent, version (ID), and so on; empty filters are ignored.

    Bots, ladder and event are given by slug. `result` is the bot's: "won", "drawn" or "lost"; without a bot or a
    version, it is the first player's. `since` and `until` refer to the end of the game, and `until` is exclusive.
    `sort` is one of SORTS: upsets are games whose winner had the lower rating, the most improbable first; "rating" is
    the mean of both ratings, the highest first. At most MOST_SORTED are returned, with `rated`. Of a bot or a version,
    and by kind, reason or time, only the newest MOST_EXAMINED games are sorted.
    """
    if opponent and not bot:
        bot, opponent = opponent, ""
    found = Game.objects.filter(_visible(user, "event"))
    exact = {"event": Event.objects.filter(slug=event).values("pk")[:1] if event else None,
             "match__ladder": Ladder.objects.filter(slug=ladder).values("pk")[:1] if ladder and not sort else None,
             "match__ladder__in": _ladders(ladder, ruleset) if sort and (ladder or ruleset) else None,
             "match__ruleset": ruleset, "match__kind": kind, "ended_by": ended_by, "reason": reason,
             "ended_at__gte": since, "ended_at__lt": until}
    found = found.filter(**{name: value for name, value in exact.items() if value is not None and value != ""})
    place = "id"
    if bot or version is not None:
        sides, place = _sides(bot, opponent, version, by_id=bool(sort)), "sides__game_id"
        found = found.filter(sides & Q(sides__score=_SCORES[result]) if result else sides)
    elif result:
        found = found.filter(winner=_WINNERS[result])
    if not sort:
        return _listed(found, place)
    if place != "id" or kind or reason or since or until:
        newest = found.annotate(place=F(place)).order_by("-place").values("place")[:MOST_EXAMINED]
        found = Game.objects.filter(pk__in=newest)
    return _sorted(found, sort, result)


def brief(games: QuerySet[Game]) -> QuerySet[Game]:
    """Return these games with only what a line of a list shows, which is read in three quarters of the time."""
    return games.select_related(None).select_related("match__ladder").only(
        "plies", "winner", "ended_by", "reason", "ended_at", "seat0", "seat1", "match__ruleset",
        "match__ladder__name", "match__ladder__ruleset")


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


def _sides(bot: str, opponent: str, version: int | None, *, by_id: bool) -> Q:
    """Return the condition on one side of each game: the first seat's if two versions of a bot played each other.

    `by_id` takes another query for each bot. The database then knows a busy bot, and reads its newest games in order.
    """
    def pk(slug: str) -> Any:
        rows = Bot.objects.filter(slug=slug).values_list("pk", flat=True)
        return (rows.first() or 0) if by_id else rows[:1]

    sides = Q(sides__seat=0) | ~Q(sides__opponent=F("sides__bot"))
    if bot:
        sides &= Q(sides__bot=pk(bot))
    if opponent:
        sides &= Q(sides__opponent=pk(opponent))
    if version is not None:
        sides = (sides if bot else Q()) & Q(sides__version=version)
    return sides


def _ladders(ladder: str, ruleset: str) -> list[int]:
    """Return the IDs of these ladders: by their IDs, the database estimates whether their games are rare."""
    by = {name: value for name, value in (("slug", ladder), ("ruleset", ruleset)) if value}
    return list(Ladder.objects.filter(**by).values_list("pk", flat=True))


def _listed(found: QuerySet[Game], place: str) -> QuerySet[Game]:
    # The annotation reads the filter's join, so that the index of sides gives the order. The players are read by
    # queries of their own: planning a join of nine tables takes ten times as long as running it.
    return (found.annotate(place=F(place)).order_by("-place").defer("record", "stderr0", "stderr1")
            .select_related("match__ladder", "event", "match__round")
            .prefetch_related(Prefetch("seat0", _versions()), Prefetch("seat1", _versions())))


def _sorted(found: QuerySet[Game], sort: str, result: str) -> QuerySet[Game]:
    if sort == "upset":
        # A draw is no upset. The database would read all upsets to see that.
        found = found.none() if result == "drawn" else found.filter(rated__chance__lt=0.5)
    elif sort == "rating":
        found = found.filter(rated__isnull=False)
    return _listed(found, "id").order_by(*_ORDERS[sort]).prefetch_related("rated")[:MOST_SORTED]


def _versions() -> QuerySet[Version]:
    # Lists show only these columns, and rows of many columns take long to build.
    return Version.objects.select_related("bot").only("number", "bot__slug", "bot__name")


def _visible(user: Any, at: str) -> Q:
    return visible_events(user or AnonymousUser(), at)
