"""Reads about ladders and their live ratings."""

from django.db.models import Count, OuterRef, QuerySet, Subquery

from ratings.models import Rating
from tournaments.models import Ladder, Version


def ladders() -> QuerySet[Ladder]:
    """All ladders, each with `bots`, the number of its rated bots."""
    return Ladder.objects.annotate(bots=Count("ratings"))


def standings(ladder: Ladder) -> QuerySet[Rating]:
    """The ladder's ratings, best first, each with `version`, the number of the bot's newest version."""
    newest = Version.objects.filter(bot=OuterRef("bot")).order_by("-number").values("number")[:1]
    return (Rating.objects.filter(ladder=ladder).select_related("bot__owner")
            .annotate(version=Subquery(newest)).order_by("-value", "bot"))


def leaders(count: int = 3) -> list[tuple[Ladder, list[Rating]]]:
    """The best few of every ladder that has rated bots."""
    best = Rating.objects.filter(rank__lte=count).select_related("bot", "ladder").order_by("ladder", "rank", "bot")
    tables: dict[int, tuple[Ladder, list[Rating]]] = {}
    for rating in best:
        tables.setdefault(rating.ladder_id, (rating.ladder, []))[1].append(rating)
    return [(ladder, ratings[:count]) for ladder, ratings in tables.values()]
