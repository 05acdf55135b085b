"""Reads about questions and casual games."""

from typing import Any, Final

from django.db.models import QuerySet

from ratings.models import Rating
from tournaments.models import Bot, CasualGame, Question, Version
from tournaments.models.lifecycle import VersionStatus
from tournaments.selectors.shared.permissions import acts_for, under_ban

# Bots of the ladders from which `opponent_for` chooses, and versions that it examines if none of them plays.
_FIRST: Final = 20
_EXAMINED: Final = 200


def askable_versions() -> QuerySet[Version]:
    """Return active versions with their bots, the newest of each first; none with a bot or an owner under a ban."""
    return (Version.objects.filter(~under_ban("bot__"), status=VersionStatus.ACTIVE)
            .select_related("bot__owner", "bot__team").order_by("bot__slug", "-number"))


def newest_askable(bot: Bot) -> Version | None:
    """Return the newest version of the bot that can be asked; None if it takes no part."""
    return askable_versions().filter(bot=bot).first()


def opponent_for(ruleset: str) -> Version | None:
    """Return a version to play this ruleset against: of a bot in the middle of the ladders' first, else of any bot.

    None if no bot that can be asked plays it. Both searches read a bounded number of rows.
    """
    rated = list(Rating.objects.filter(ladder__ruleset=ruleset).order_by("-value", "bot_id")
                 .values_list("bot_id", flat=True)[:_FIRST])
    newest: dict[int, Version] = {}
    for version in askable_versions().filter(bot__in=rated):
        newest.setdefault(version.bot_id, version)
    fit = [newest[bot] for bot in rated if bot in newest and ruleset in newest[bot].rulesets]
    if fit:
        return fit[len(fit) // 2]
    for version in askable_versions()[:_EXAMINED]:
        newest.setdefault(version.bot_id, version)
    return next((version for version in newest.values() if ruleset in version.rulesets), None)


def questions() -> QuerySet[Question]:
    """Return questions with their versions and games, newest first, without stderr."""
    return (Question.objects.select_related("version__bot__owner", "version__bot__team", "game__event",
                                            "casual").defer("stderr", "game__record", "game__stderr0",
                                                            "game__stderr1"))


def questions_of(user: Any) -> QuerySet[Question]:
    """Return the user's questions, newest first, without those for turns of casual games."""
    return questions().filter(user=user.pk, casual=None)


def casual_games() -> QuerySet[CasualGame]:
    """Return casual games with their bots."""
    return CasualGame.objects.select_related("version__bot__owner", "version__bot__team", "user")


def stderr_for(user: Any, question: Question) -> str | None:
    """Return what the bot wrote to stderr, if the user may act for the bot; else None."""
    if not acts_for(user, question.version.bot):
        return None
    return bytes(question.stderr).decode("utf-8", "replace")
