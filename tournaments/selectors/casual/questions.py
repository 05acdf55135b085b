"""Reads about questions and casual games."""

from typing import Any

from django.db.models import QuerySet

from tournaments.models import Bot, CasualGame, Question, Version
from tournaments.models.lifecycle import VersionStatus
from tournaments.selectors.shared.permissions import acts_for, under_ban


def askable_versions() -> QuerySet[Version]:
    """Versions that take part, with their bots, the newest of each first; none of a bot or an owner under a ban."""
    return (Version.objects.filter(~under_ban("bot__"), status=VersionStatus.ACTIVE)
            .select_related("bot__owner", "bot__team").order_by("bot__slug", "-number"))


def newest_askable(bot: Bot) -> Version | None:
    """The build with which a bot takes part now, if it does."""
    return askable_versions().filter(bot=bot).first()


def questions() -> QuerySet[Question]:
    """Questions with who is asked and the game that they come from, newest first; what was written to stderr stays."""
    return (Question.objects.select_related("version__bot__owner", "version__bot__team", "game__event",
                                            "casual").defer("stderr", "game__record", "game__stderr0",
                                                            "game__stderr1"))


def questions_of(user: Any) -> QuerySet[Question]:
    """What this person has asked, newest first; a casual game's turns are none of these."""
    return questions().filter(user=user.pk, casual=None)


def casual_games() -> QuerySet[CasualGame]:
    """Casual games with their bots."""
    return CasualGame.objects.select_related("version__bot__owner", "version__bot__team", "user")


def stderr_for(user: Any, question: Question) -> str | None:
    """What the bot wrote to stderr, for who acts for the bot; None for anybody else."""
    if not acts_for(user, question.version.bot):
        return None
    return bytes(question.stderr).decode("utf-8", "replace")
