"""Equal treatment of bots: seats, openings, opponents, waiting and void attempts, bot by bot.

Ladders have no end, so each bot's newest games are counted there; in an event, all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, F, Max, Min, Q, QuerySet, Subquery, Window
from django.db.models.expressions import OuterRef
from django.db.models.functions import RowNumber

from tournaments.models import Attempt, Bot, Entry, Event, Game, Ladder, LadderEntry, Side
from tournaments.models.lifecycle import AttemptStatus, MatchKind

# Number of a bot's newest games, on any ladder, that are examined.
NEWEST: Final = 200
# Time over which a ladder's void attempts are counted.
VOID_SINCE: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Share:
    """A bot's share. Waiting lasts from a match's pairing until a worker takes it; None if nothing was played.

    `firsts` and `seconds` are games by seat; `openings` and `opponents` are the numbers of different ones.
    """

    entry: Any
    firsts: int = 0
    seconds: int = 0
    opponents: int = 0
    openings: int = 0
    usual_wait: timedelta | None = None
    longest_wait: timedelta | None = None
    voids: int = 0


def of_ladder(ladder: Ladder, after: int | None, size: int, now: datetime) -> list[Share]:
    """Return the shares of the next `size` bots on the ladder, by ID, after the bot with the ID `after`."""
    entries = (LadderEntry.objects.filter(ladder=ladder, active=True, bot__gt=after or 0)
               .select_related("bot", "version").order_by("bot_id"))
    listed = list(entries[:size])
    voids = Attempt.objects.filter(status=AttemptStatus.VOID, ended_at__gte=now - VOID_SINCE, match__ladder=ladder,
                                   match__kind=MatchKind.LADDER)
    return _shares(listed, _newest(ladder, [entry.bot_id for entry in listed]), voids)


def waits_longest(ladder: Ladder) -> LadderEntry | None:
    """Return the bot on the ladder that has waited longest since it was last given a match."""
    # In the order of the index alone: with the ID as well, all bots that wait equally long would be sorted.
    return ladder.entries.filter(active=True).select_related("bot", "version").order_by("waiting_since").first()


def of_event(event: Event, after: int | None, size: int) -> list[Share]:
    """Return the shares of the next `size` entrants in the draw, after the place `after`; none before the start."""
    if event.started_at is None:
        return []
    entries = (Entry.objects.filter(event=event, place__gt=-1 if after is None else after)
               .select_related("bot", "version").order_by("place"))
    listed = list(entries[:size])
    games = Game.objects.filter(event=event).aggregate(first=Min("pk"), last=Max("pk"))
    # The range limits the reading of a bot's history, by its index, to the event.
    sides = Side.objects.filter(bot__in=[entry.bot_id for entry in listed], game__event=event,
                                game_id__gte=games["first"] or 0, game_id__lte=games["last"] or 0)
    return _shares(listed, sides, Attempt.objects.filter(status=AttemptStatus.VOID, match__event=event))


def _newest(ladder: Ladder, bots: Sequence[int]) -> QuerySet[Side]:
    """Return the sides of these bots' newest games that were played for the ladder."""
    oldest = Side.objects.filter(bot=OuterRef("pk")).order_by("-game_id").values("game_id")[NEWEST - 1:NEWEST]
    since = dict(Bot.objects.filter(pk__in=bots).order_by().annotate(since=Subquery(oldest))
                 .values_list("pk", "since"))
    theirs = Q()
    for bot, game in since.items():
        theirs |= Q(bot=bot, game_id__gte=game or 0)
    sides = Side.objects.filter(ladder=ladder, game__match__kind=MatchKind.LADDER)
    return sides.filter(theirs) if theirs else sides.none()


def _shares(entries: Sequence[Any], sides: QuerySet[Side], voids: QuerySet[Attempt]) -> list[Share]:
    counted = {row.pop("bot"): row for row in sides.order_by().values("bot").annotate(
        firsts=Count("pk", filter=Q(seat=0)), seconds=Count("pk", filter=Q(seat=1)),
        opponents=Count("opponent", distinct=True), openings=Count("game__match__opening", distinct=True))}
    waited, spoiled = _waits(sides), _voids(voids, [entry.bot_id for entry in entries])
    return [Share(entry, **counted.get(entry.bot_id, {}), **waited.get(entry.bot_id, {}),
                  voids=spoiled.get(entry.bot_id, 0)) for entry in entries]


def _waits(sides: QuerySet[Side]) -> dict[int, dict[str, timedelta]]:
    """Return by bot the median and the longest time until a worker took a match that was then played."""
    # Each match once: a bot has the first seat in one of its two games.
    started = (sides.filter(seat=0).order_by()
               .annotate(wait=F("game__attempt__started_at") - F("game__match__created_at"))
               .annotate(number=Window(RowNumber(), partition_by="bot", order_by="wait"),
                         of=Window(Count("pk"), partition_by="bot")))
    median_and_last = started.filter(Q(number=(F("of") + 1) / 2) | Q(number=F("of")))
    found: dict[int, dict[str, timedelta]] = {}
    for bot, wait, number, of in median_and_last.values_list("bot", "wait", "number", "of"):
        waits = found.setdefault(bot, {})
        if number == (of + 1) // 2:
            waits["usual_wait"] = wait
        if number == of:
            waits["longest_wait"] = wait
    return found


def _voids(voids: QuerySet[Attempt], bots: Sequence[int]) -> dict[int, int]:
    """Return how many of these void attempts each of the bots had."""
    found: dict[int, int] = {}
    for seat in ("match__first__bot", "match__second__bot"):
        for bot, count in (voids.filter(**{f"{seat}__in": bots}).order_by().values_list(seat).annotate(Count("pk"))):
            found[bot] = found.get(bot, 0) + count
    return found
