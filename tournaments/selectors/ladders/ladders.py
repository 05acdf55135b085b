"""Reads about ladders, their live ratings, and who plays on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from ratings.models import Rating
from tournaments.models import Bot, Game, Ladder, LadderEntry, Match, Version
from tournaments.models.lifecycle import MatchKind, MatchStatus, VersionStatus
from tournaments.selectors.ladders.waiting import Wait, Waits
from tournaments.selectors.matches.games import games
from tournaments.selectors.shared.permissions import own_bots


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's place on a ladder as pages show it: "left", "playing", or the first of the reasons why it waits.

    `position` is its place among those who wait, from 1.
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
    """What goes on on a ladder: bots that take part, those of them rested after faults, and its open matches."""

    bots: int
    rested: int
    queued: int
    running: int


def ladders() -> QuerySet[Ladder]:
    """All ladders, each with `bots`, the number of its rated bots, and `players`, of those that play on it now."""
    players = (LadderEntry.objects.filter(ladder=OuterRef("pk"), active=True).order_by().values("ladder")
               .annotate(count=Count("pk")).values("count"))
    rated = (Rating.objects.filter(ladder=OuterRef("pk")).order_by().values("ladder")
             .annotate(count=Count("pk")).values("count"))
    # Not by a join: the other subquery would be answered again for every rating.
    return Ladder.objects.annotate(bots=Coalesce(Subquery(rated), 0), players=Coalesce(Subquery(players), 0))


def ladder_names(count: int) -> list[tuple[str, str]]:
    """Slugs and names of so many ladders, by name."""
    return list(Ladder.objects.order_by("name").values_list("slug", "name")[:count])


def standings(ladder: Ladder) -> QuerySet[Rating]:
    """The ladder's ratings, best first, each with `version`, the number of the one that plays there or is newest."""
    here = LadderEntry.objects.filter(ladder=OuterRef("ladder"), bot=OuterRef("bot")).values("version__number")[:1]
    newest = Version.objects.filter(bot=OuterRef("bot")).order_by("-number").values("number")[:1]
    # By the bot's id: "bot" would mean the order of bots, by slug, which the index does not have.
    return (Rating.objects.filter(ladder=ladder).select_related("bot__owner")
            .annotate(version=Coalesce(Subquery(here), Subquery(newest))).order_by("-value", "bot_id"))


def standings_after(ladder: Ladder, bot: int | None, size: int) -> list[Rating]:
    """The next so many of the standings below this bot (id), or from the top."""
    found = standings(ladder)
    value = Rating.objects.filter(ladder=ladder, bot=bot).values_list("value", flat=True).first() if bot else None
    if value is not None:
        # The first condition follows from the second, and lets the index begin there.
        found = found.filter(Q(value__lt=value) | Q(bot__gt=bot), value__lte=value)
    return list(found[:size])


def with_places(ladder: Ladder, ratings: Sequence[Rating], waits: Waits) -> list[Line]:
    """These ratings with what their bots are doing on the ladder; as many queries however many."""
    listed = entries(ladder).filter(bot__in=[rating.bot_id for rating in ratings])
    places = {place.entry.bot_id: place for place in _places(listed, waits)}
    return [Line(rating, places.get(rating.bot_id)) for rating in ratings]


def newcomers(ladder: Ladder, size: int, waits: Waits) -> list[Place]:
    """The bots that play on the ladder and have no rating there yet, those that wait longest first."""
    rated = Rating.objects.filter(ladder=ladder, bot=OuterRef("bot"))
    listed = entries(ladder).filter(~Exists(rated), active=True).order_by("waiting_since", "pk")
    return _places(listed[:size], waits)


def places_of(ladder: Ladder, user: Any, waits: Waits) -> list[Place]:
    """The places of the bots that this person acts for, each with how many wait no less long."""
    if not user.is_authenticated:
        return []
    mine = entries(ladder).filter(bot__in=own_bots(user)).order_by("bot__slug")
    waiting = (LadderEntry.objects.filter(ladder=ladder, active=True, version__status=VersionStatus.ACTIVE)
               .filter(Q(probe_at=None) | Q(probe_at__lte=waits.now))
               .annotate(position=Window(RowNumber(), order_by=[F("waiting_since"), F("pk")])))
    positions = dict(waiting.filter(bot__in=own_bots(user)).values_list("bot", "position"))
    return [replace(place, position=positions.get(place.entry.bot_id)) for place in _places(mine, waits)]


def places_of_bot(bot: Bot, waits: Waits) -> list[Place]:
    """What the bot is doing on the ladders that it has joined, by the ladders' names."""
    return _places(entries_of(bot), waits)


def entries_of(bot: Bot) -> QuerySet[LadderEntry]:
    """The ladders that the bot has joined, by their names."""
    return LadderEntry.objects.filter(bot=bot).select_related("bot", "version", "ladder").order_by("ladder__name")


def joinable(ladder: Ladder, user: Any) -> list[Version]:
    """The versions that this person could let play there: active ones that play the ruleset, and do not yet."""
    if not user.is_authenticated or not ladder.is_open:
        return []
    playing = LadderEntry.objects.filter(ladder=ladder, active=True).values("version")
    return playable(ladder, Version.objects.filter(bot__in=own_bots(user)).exclude(pk__in=playing))


def playable(ladder: Ladder, versions: QuerySet[Version]) -> list[Version]:
    """Those of these versions that take part and play the ladder's ruleset, by bot, the newest first."""
    # Databases differ in how they look into lists of JSON.
    listed = versions.filter(status=VersionStatus.ACTIVE).select_related("bot").order_by("bot__slug", "-number")
    return [version for version in listed if ladder.ruleset in version.rulesets]


def entries(ladder: Ladder) -> QuerySet[LadderEntry]:
    """The ladder's entries with bots and versions, those that left included; newest first."""
    return ladder.entries.select_related("bot__owner", "version").order_by("-id")


def play(ladder: Ladder, now: datetime) -> Play:
    """What goes on on the ladder; three queries."""
    counts = ladder.entries.filter(active=True).aggregate(
        bots=Count("pk"), rested=Count("pk", filter=Q(probe_at__gt=now)))
    here = Match.objects.filter(ladder=ladder, kind=MatchKind.LADDER)
    return Play(**counts, queued=here.filter(status=MatchStatus.QUEUED, held=False).count(),
                running=here.filter(status=MatchStatus.RUNNING).count())


def recent_games(ladder: Ladder, count: int) -> list[Game]:
    """The last games that were played on the ladder itself."""
    ended = (Match.objects.filter(ladder=ladder, kind=MatchKind.LADDER, status=MatchStatus.FINISHED)
             .order_by("-id").values_list("pk", flat=True)[:count])
    listed = list(ended)
    return list(games().filter(match__in=listed)[:count]) if listed else []


def leaders(count: int = 3) -> list[tuple[Ladder, list[Rating]]]:
    """The best few of every ladder that has rated bots."""
    # Each place from the index of the standings: by rank, a thousand newcomers might share the first one.
    best = Rating.objects.filter(ladder=OuterRef("pk")).order_by("-value", "bot_id").values("pk")
    places = {f"place_{number}": Subquery(best[number:number + 1]) for number in range(count)}
    tops = [(ladder, [key for place in places if (key := getattr(ladder, place))])
            for ladder in Ladder.objects.annotate(**places)]
    ratings = Rating.objects.select_related("bot").in_bulk([key for _, keys in tops for key in keys])
    return [(ladder, [ratings[key] for key in keys]) for ladder, keys in tops if keys]


def _places(listed: Iterable[LadderEntry], waits: Waits) -> list[Place]:
    found = list(listed)
    why = waits.of_entries(found)
    return [Place(entry, _state(entry, why[entry.pk]), why[entry.pk]) for entry in found]


def _state(entry: LadderEntry, why: Sequence[Wait]) -> str:
    if why:
        return why[0].reason
    return "playing" if entry.active else "left"
