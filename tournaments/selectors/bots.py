"""Reads about one bot: versions, ratings, record, faults."""

from dataclasses import dataclass

from django.db.models import Count, Min, Q, QuerySet, Sum

from ratings.models import Rating, RatingChange
from tournaments.models import Bot, Game, Version
from tournaments.standings import Score


@dataclass(frozen=True, slots=True)
class RecordOnLadder:
    """A bot's games in one ruleset, by seat."""

    ruleset: str
    seats: tuple[Score, Score]


def bots() -> QuerySet[Bot]:
    """All bots with their owners, each with `version_count`."""
    return Bot.objects.select_related("owner").annotate(version_count=Count("versions"))


def versions(bot: Bot) -> QuerySet[Version]:
    """The bot's versions, newest first."""
    return bot.versions.select_related("submission").order_by("-number")


def ratings(bot: Bot) -> QuerySet[Rating]:
    """The bot's rating on each ladder."""
    return Rating.objects.filter(bot=bot).select_related("ladder").order_by("ladder")


def rating_history(bot: Bot) -> dict[int, list[float]]:
    """The bot's rating after each of its rating periods, oldest first, by ladder id."""
    periods = (RatingChange.objects.filter(bot=bot).order_by("period__ladder", "period__number")
               .values_list("period__ladder", "period__number").annotate(after=Min("before") + Sum("change")))
    history: dict[int, list[float]] = {}
    for ladder, _, after in periods:
        history.setdefault(ladder, []).append(after)
    return history


def record(bot: Bot) -> list[RecordOnLadder]:
    """Won, drawn and lost, by ruleset and seat."""
    table: dict[str, tuple[Score, Score]] = {}
    for seat in (0, 1):
        counted = (Game.objects.filter(**{f"seat{seat}__bot": bot}).order_by()
                   .values_list("match__ruleset", "winner").annotate(Count("id")))
        for ruleset, winner, count in counted:
            table.setdefault(ruleset, (Score(), Score()))[seat].add(seat, winner, count)
    return [RecordOnLadder(ruleset, seats) for ruleset, seats in sorted(table.items())]


def faults(bot: Bot) -> dict[str, int]:
    """How many games the bot lost by conduct, by kind, most frequent first."""
    lost = Q(seat0__bot=bot, winner=1) | Q(seat1__bot=bot, winner=0)
    counted = (Game.objects.filter(lost, ended_by="conduct").order_by()
               .values_list("reason").annotate(count=Count("id")).order_by("-count", "reason"))
    return dict(counted)
