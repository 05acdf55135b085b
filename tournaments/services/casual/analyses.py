"""Asking for the analysis of a finished game, and whether a bot's versions may judge."""

from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from engines.records.record import GameRecord, RecordError, check_rules
from tournaments.models import Analysis, Bot, Game
from tournaments.models.lifecycle import ANALYSIS_OPEN, AnalysisStatus
from tournaments.platform.refusals import Refused
from tournaments.selectors.casual.judges import judges_for
from tournaments.selectors.shared.permissions import Forbidden, acts_for, refuse_banned
from tournaments.services.accounts.visitors import Asker, Limit, refuse_too_many
from tournaments.services.shared import audit
from tournaments.services.shared.locks import Lock, hold
from tournaments.services.shared.wakeups import Step, wake

# A bot cannot start and answer in less.
SHORTEST_SECONDS: Final = 0.05


class AnalysisRefused(Refused):
    """The game cannot be analysed, is being analysed, or would be judged by the same versions again."""


def analyse(*, game: Game, actor: Any, now: datetime) -> Analysis:
    """Let the strongest willing versions judge each position of the game, within the site's budget.

    Raises AnalysisRefused, TooMany, and Forbidden if the user is banned.
    """
    refuse_banned(user=actor)
    positions = _positions(game)
    versions = judges_for(game)
    if not versions:
        raise AnalysisRefused(gettext(
            "No active bot that plays this game may judge other bots’ games: ask an author to allow it on the bot’s "
            "page."))
    judge, other = versions[0], versions[1] if len(versions) > 1 else None
    with transaction.atomic():
        hold(Lock.QUESTIONS)
        known = game.analyses.filter(Q(status__in=ANALYSIS_OPEN) | Q(status=AnalysisStatus.DONE, judge=judge,
                                                                     other=other)).first()
        if known is not None:
            raise AnalysisRefused(
                gettext("These bots have already analysed the game: see the result on its page.")
                if known.status == AnalysisStatus.DONE else
                gettext("The game is being analysed: see the progress on its page."))
        refuse_too_many(Asker(actor), Analysis.objects.all(), _limit(), now)
        analysis = Analysis.objects.create(
            game=game, user=actor, created_at=now, due_at=now, judge=judge, other=other, positions=positions,
            seconds=seconds_for(positions))
        wake(Step.PUBLISH)
    return analysis


def set_judging(*, bot: Bot, judges: bool | None, actor: Any, now: datetime) -> Bot:
    """Say whether the bot's versions may judge; None for the default. Raises Forbidden for all but its managers."""
    if not acts_for(actor, bot):
        raise Forbidden(gettext("%(bot)s is not your bot: only its owner, its team and staff can change this."),
                        bot=bot.name)
    if judges:
        refuse_banned(user=actor, bot=bot)
    with transaction.atomic():
        Bot.objects.filter(pk=bot.pk).update(judges=judges)
        audit.record(actor=actor, verb="set judging", target=bot, now=now, judges=judges)
    bot.refresh_from_db()
    return bot


def seconds_for(positions: int) -> float:
    """Return the time per position: that of the site, or less if the whole game would take too long."""
    share = settings.ANALYSIS_GAME_SECONDS / max(positions, 1)
    return max(SHORTEST_SECONDS, round(min(settings.ANALYSIS_POSITION_SECONDS, share), 3))


def _positions(game: Game) -> int:
    """Return the number of positions to judge. Raises AnalysisRefused."""
    try:
        record = GameRecord.from_dict(game.record)
        check_rules(record)
    except RecordError:
        raise AnalysisRefused(gettext(
            "The game was recorded under older rules: choose a newer game.")) from None
    if not record.turns:
        raise AnalysisRefused(gettext("No bot played a turn in this game: choose another one."))
    return len(record.turns)


def _limit() -> Limit:
    return Limit(gettext("analyses"), settings.OPEN_ANALYSES, settings.ANALYSES_PER_HOUR, Q(status__in=ANALYSIS_OPEN))
