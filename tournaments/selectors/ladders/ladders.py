"""Reads about ladders, their ratings, and the bots on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from ratings.models import Rating
from tournaments.models import Bot, Game, Ladder, LadderEntry, Match, Version
from tournaments.models.lifecycle import MatchKind, MatchStatus, VersionStatus
from tournaments.selectors.ladders.waiting import Wait, Waits
from tournaments.selectors.matches.games import brief, games
from tournaments.selectors.shared.permissions import own_bots


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's place on a ladder as pages show it: "left", "playing", or the first of the reasons why it waits.

    `position` is its place in the order of waiting, from 1.
    """

    entry: LadderEntry
    state: str
    waits: Sequence[Wait] = ()
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the standings; `place` is None for a bot that was rated in events and never joined the ladder."""

    rating: Rating
    place: Place | None


@dataclass(frozen=True, slots=True)
class Play:
    """Activity on a ladder: bots that take part, those of them suspended after faults, and its open matches."""

    bots: int
    rested: int
    queued: int
    running: int


def ladders() -> QuerySet[Ladder]:
    """Return all ladders, each with the number of its rated bots, `bots`, and of its present ones, `players`."""
    players = (LadderEntry.objects.filter(ladder=OuterRef("pk"), active=True).order_by().values("ladder")
               .annotate(count=Count("pk")).values("count"))
    rated = (Rating.objects.filter(ladder=OuterRef("pk")).order_by().values("ladder")
             .annotate(count=Count("pk")).values("count"))
    # Not by a join: the other subquery would run again for every rating.
    return Ladder.objects.annotate(bots=Coalesce(Subquery(rated), 0), players=Coalesce(Subquery(players), 0))


def ladder_names(count: int) -> list[tuple[str, str]]:
    """Return slugs and names of the first `count` ladders, by name."""
    return list(Ladder.objects.order_by("name").values_list("slug", "name")[:count])


def standings(ladder: Ladder) -> QuerySet[Rating]:
    """Return the ladder's ratings, best first, with bots, owners and versions."""
    return Rating.objects.filter(ladder=ladder).select_related("bot__owner", "version").order_by("rank")


def standings_after(ladder: Ladder, rank: int, size: int) -> list[Rating]:
    """Return the next `size` lines of the standings below this rank, or with 0 from the top."""
    return list(standings(ladder).filter(rank__gt=rank)[:size])


def with_places(ladder: Ladder, ratings: Sequence[Rating], waits: Waits) -> list[Line]:
    """Return these ratings with their bots' places on the ladder, by a fixed number of queries."""
    listed = entries(ladder).filter(bot__in=[rating.bot_id for rating in ratings])
    places = {place.entry.bot_id: place for place in _places(listed, waits)}
    return [Line(rating, places.get(rating.bot_id)) for rating in ratings]


def newcomers(ladder: Ladder, size: int, waits: Waits) -> list[Place]:
    """Return the bots that play on the ladder and have no rating there yet, the longest waiting first."""
    rated = Rating.objects.filter(ladder=ladder, bot=OuterRef("bot"))
    listed = entries(ladder).filter(~Exists(rated), active=True).order_by("waiting_since", "pk")
    return _places(listed[:size], waits)


def places_of(ladder: Ladder, user: Any, waits: Waits) -> list[Place]:
    """Return the places of this user's bots, each with its position in the order of waiting."""
    if not user.is_authenticated:
        return []
    mine = entries(ladder).filter(bot__in=own_bots(user)).order_by("bot__slug")
    waiting = (LadderEntry.objects.filter(ladder=ladder, active=True, version__status=VersionStatus.ACTIVE)
               .filter(Q(probe_at=None) | Q(probe_at__lte=waits.now))
               .annotate(position=Window(RowNumber(), order_by=[F("waiting_since"), F("pk")])))
    positions = dict(waiting.filter(bot__in=own_bots(user)).values_list("bot", "position"))
    return [replace(place, position=positions.get(place.entry.bot_id)) for place in _places(mine, waits)]


def places_of_bot(bot: Bot, waits: Waits) -> list[Place]:
    """Return the bot's places on the ladders that it has joined, by the ladders' names."""
    return _places(entries_of(bot), waits)


def entries_of(bot: Bot) -> QuerySet[LadderEntry]:
    """Return the bot's entries on ladders, by the ladders' names."""
    return LadderEntry.objects.filter(bot=bot).select_related("bot", "version", "ladder").order_by("ladder__name")


def joinable(ladder: Ladder, user: Any) -> list[Version]:
    """Return this user's versions that can join: active ones that play the ruleset and are not yet on the ladder."""
    if not user.is_authenticated or not ladder.is_open:
        return []
    playing = LadderEntry.objects.filter(ladder=ladder, active=True).values("version")
    return playable(ladder, Version.objects.filter(bot__in=own_bots(user)).exclude(pk__in=playing))


def playable(ladder: Ladder, versions: QuerySet[Version]) -> list[Version]:
    """Return those of these versions that are active and play the ladder's ruleset, by bot, newest first."""
    # Databases differ in how they search JSON lists.
    listed = versions.filter(status=VersionStatus.ACTIVE).select_related("bot").order_by("bot__slug", "-number")
    return [version for version in listed if ladder.ruleset in version.rulesets]


def entries(ladder: Ladder) -> QuerySet[LadderEntry]:
    """Return the ladder's entries with bots and versions, newest first, including bots that have left."""
    return ladder.entries.select_related("bot__owner", "version").order_by("-id")


def play(ladder: Ladder, now: datetime) -> Play:
    """Return the activity on the ladder; three queries."""
    counts = ladder.entries.filter(active=True).aggregate(
        bots=Count("pk"), rested=Count("pk", filter=Q(probe_at__gt=now)))
    here = Match.objects.filter(ladder=ladder, kind=MatchKind.LADDER)
    return Play(**counts, queued=here.filter(status=MatchStatus.QUEUED, held=False).count(),
                running=here.filter(status=MatchStatus.RUNNING).count())


def recent_games(ladder: Ladder, count: int) -> list[Game]:
    """Return the last games that were played on the ladder itself, with what a line of a list shows."""
    ended = (Match.objects.filter(ladder=ladder, kind=MatchKind.LADDER, status=MatchStatus.FINISHED)
             .order_by("-id").values_list("pk", flat=True)[:count])
    listed = list(ended)
    return list(brief(games()).filter(match__in=listed)[:count]) if listed else []


def leaders(count: int = 3) -> list[tuple[Ladder, list[Rating]]]:
    """Return the best few bots of every ladder that has rated bots."""
    best = Rating.objects.filter(rank__lte=count).select_related("ladder", "bot").order_by("ladder__slug", "rank")
    return [(ladder, list(ratings)) for ladder, ratings in groupby(best, key=lambda rating: rating.ladder)]


def _places(listed: Iterable[LadderEntry], waits: Waits) -> list[Place]:
    found = list(listed)
    why = waits.of_entries(found)
    return [Place(entry, _state(entry, why[entry.pk]), why[entry.pk]) for entry in found]


def _state(entry: LadderEntry, why: Sequence[Wait]) -> str:
    if why:
        return why[0].reason
    return "playing" if entry.active else "left"
