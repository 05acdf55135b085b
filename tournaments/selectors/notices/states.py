"""States of followed bots and events: small JSON values. News is the difference between two of them.

So a fact that is committed late is not missed, and the verbs that make facts need not know followers.
"""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Case, F, Max, Q, When

from ratings.models import RatedGame, Rating
from ratings.score import UPSET_CHANCE
from tournaments.formats.registry import CONTINUOUS
from tournaments.models import Entry, Event, LadderEntry
from tournaments.models.lifecycle import EventStatus

State = dict[str, Any]
# A place among the first `PLACES` is news. It is forgotten when the bot is no longer among the first `NEAR`, so that
# two bots of the same strength do not make news every hour.
PLACES: Final = 3
NEAR: Final = 5
# The place of a bot whose 95 % interval is wider than this many Elo in each direction is no news: it changes by chance.
SETTLED: Final = 100.0
# Longer than news waits. Ratings and news are made by the same process, so an outage delays both.
_UPSETS_SINCE: Final = timedelta(hours=3)
# Events that ended earlier are no longer read.
_ENDED_SINCE: Final = timedelta(days=2)
OVER: Final = (EventStatus.FINISHED, EventStatus.CANCELLED)


def of_events(events: Collection[int]) -> dict[int, State]:
    """Return the states of these events (IDs): whether it has started, its last drawn round, and how it ended.

    Formats that pair all the time have no rounds to report.
    """
    if not events:
        return {}
    rows = (Event.objects.filter(pk__in=events).order_by().annotate(drawn=Max("rounds__number"))
            .values_list("pk", "format", "started_at", "status", "drawn"))
    return {pk: {"started": started is not None, "round": 0 if format_ in CONTINUOUS else drawn or 0,
                 "ended": status if status in OVER else ""} for pk, format_, started, status, drawn in rows}


def of_bots(bots: Collection[int], now: datetime) -> dict[int, State]:
    """Return the states of these bots (IDs): versions and first places on ladders, upsets, and states of its events."""
    states: dict[int, State] = {bot: {"versions": {}, "places": {}, "upsets": [], "events": {}} for bot in bots}
    if not bots:
        return states
    playing = LadderEntry.objects.filter(bot__in=bots, active=True).order_by()
    for bot, ladder, version in playing.values_list("bot", "ladder", "version__number"):
        states[bot]["versions"][str(ladder)] = version
    for rating in Rating.objects.filter(bot__in=bots, rank__lte=NEAR).order_by():
        if rating.plus_minus <= SETTLED:
            states[rating.bot_id]["places"][str(rating.ladder_id)] = rating.rank
    for bot, game in _upsets(bots, now):
        states[bot]["upsets"].append(game)
    entered: dict[int, list[int]] = defaultdict(list)
    recent = ~Q(event__status__in=OVER) | Q(event__ended_at__gte=now - _ENDED_SINCE)
    for bot, event in (Entry.objects.filter(recent, bot__in=bots, left_at=None).order_by()
                       .values_list("bot", "event")):
        entered[event].append(bot)
    for event, state in of_events(entered).items():
        for bot in entered[event]:
            states[bot]["events"][str(event)] = state
    return states


def _upsets(bots: Collection[int], now: datetime) -> Any:
    """Return bots and games of recent upsets, in the order of the games."""
    recent = RatedGame.objects.filter(rated_at__gte=now - _UPSETS_SINCE, chance__lte=UPSET_CHANCE)
    winner = Case(When(game__winner=0, then=F("game__seat0__bot")), default=F("game__seat1__bot"))
    return recent.annotate(bot=winner).filter(bot__in=bots).order_by("game_id").values_list("bot", "game_id")


def remembered(before: State, after: State) -> State:
    """Return the state to store after reporting `after`: a better place is retained while the bot is near."""
    if "places" not in after:
        return after
    kept = {ladder: min(place, before.get("places", {}).get(ladder, place))
            for ladder, place in after["places"].items()}
    return {**after, "places": kept}
