"""Reads about bots: owners, versions, ratings, results, faults."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, OuterRef, Prefetch, QuerySet, Subquery

from ratings.models import Rating
from tournaments.models import Bot, Ladder, Side, Version
from tournaments.scoring.standings import Score
from tournaments.selectors.shared.permissions import own_bots


@dataclass(frozen=True, slots=True)
class RecordOnLadder:
    """A bot's games in one ruleset, by seat."""

    ruleset: str
    seats: tuple[Score, Score]


def bots() -> QuerySet[Bot]:
    """Return all bots with their owners, each with `version_count`."""
    # Versions are numbered without gaps and never deleted, so the newest number is their count.
    newest = Version.objects.filter(bot=OuterRef("pk")).order_by("-number").values("number")[:1]
    return Bot.objects.select_related("owner", "team").annotate(version_count=Subquery(newest))


def listed(*, named: str = "", after: str = "") -> QuerySet[Bot]:
    """Return bots by slug whose names contain `named`, in any case, after the bot with the slug `after`."""
    found = bots().order_by("slug")
    if named:
        found = found.filter(name__icontains=named)
    return found.filter(slug__gt=after) if after else found


def bots_of(user: AbstractBaseUser) -> QuerySet[Bot]:
    """Return the bots that this user manages as owner or in a team, with owners, teams and `version_count`."""
    return bots().filter(pk__in=own_bots(user))


def rated_bots_of(user: AbstractBaseUser) -> QuerySet[Bot]:
    """Return the bots of `bots_of`, each with its `ratings` and their ladders, the best rank first."""
    return bots_of(user).prefetch_related(
        Prefetch("ratings", Rating.objects.select_related("ladder").order_by("rank", "id")))


def versions(bot: Bot) -> QuerySet[Version]:
    """Return the bot's versions, newest first."""
    return bot.versions.select_related("submission").order_by("-number")


def ratings(bot: Bot) -> QuerySet[Rating]:
    """Return the bot's rating on each ladder."""
    return Rating.objects.filter(bot=bot).select_related("ladder").order_by("ladder")


def record(bot: Bot) -> list[RecordOnLadder]:
    """Return wins, draws and losses, by ruleset and seat."""
    counted = list(Side.objects.filter(bot=bot).order_by().values_list("ladder", "seat", "score")
                   .annotate(count=Count("*")))
    rulesets = dict(Ladder.objects.filter(pk__in={ladder for ladder, *_ in counted}).values_list("pk", "ruleset"))
    table: dict[str, tuple[Score, Score]] = {}
    for ladder, seat, score, count in counted:
        winner = None if score == 1 / 2 else seat if score else 1 - seat
        table.setdefault(rulesets[ladder], (Score(), Score()))[seat].add(seat, winner, count)
    return [RecordOnLadder(ruleset, seats) for ruleset, seats in sorted(table.items())]


def faults(bot: Bot) -> dict[str, int]:
    """Return how many games the bot lost by each kind of fault, the most frequent first."""
    counted = (Side.objects.filter(bot=bot, at_fault=True).order_by()
               .values_list("game__reason").annotate(count=Count("*")).order_by("-count", "game__reason"))
    return dict(counted)


def slug_of(named: str) -> str:
    """Return the slug of the bot with this slug or name; the text itself if there is no such bot."""
    if not named or Bot.objects.filter(slug=named).exists():
        return named
    return Bot.objects.filter(name__iexact=named).order_by("slug").values_list("slug", flat=True).first() or named
