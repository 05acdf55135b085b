"""Questions to bots: which turn a version plays in a position. Unrated, and not on the bot's record."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from engines.records.record import GameRecord, RecordError, check_rules
from engines.records.time_control import TimeControl
from engines.referee.play import default_ply_cap
from engines.referee.questions import NoQuestion, clock_at, retold
from engines.rules.registry import find
from engines.rules.ruleset import SetupError
from tournaments.models import CasualGame, Game, Question, Version
from tournaments.models.lifecycle import QUESTION_OPEN, VersionStatus
from tournaments.platform.keys import LINK
from tournaments.platform.messaging import queues
from tournaments.platform.messaging.queue_messages import publish
from tournaments.platform.outage import Outage
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import ban_of, refuse_banned
from tournaments.services.accounts.visitors import Asker, Limit, refuse_too_many
from tournaments.services.shared.locks import Lock, hold

_redis = Outage("Redis")


class QuestionRefused(Refused):
    """The question is not possible, or not possible for this version."""


def ask_here(*, asker: Asker, version: Version, ruleset: str, size: int, turns: Sequence[str], control: TimeControl,
             now: datetime, left: float | None = None, game: Game | None = None) -> Question:
    """Ask a version for its turn after these turns, with `left` seconds (None for the time at a game's start).

    Its clock shows at most LONGEST_QUESTION_SECONDS. Raises QuestionRefused, TooMany, Forbidden.
    """
    if asker.user is not None:
        refuse_banned(user=asker.user)
    refuse_unaskable(version, ruleset)
    text = _playable(ruleset, size, turns)
    allowed = settings.LONGEST_QUESTION_SECONDS
    clock = min(control.per_turn or control.base if left is None else left, allowed)
    with transaction.atomic():
        hold(Lock.QUESTIONS)
        refuse_too_many(asker, Question.objects.filter(casual=None), _limit(), now)
        return enqueue(asker=asker, version=version, ruleset=ruleset, size=size, turns=text, control=control,
                       left=clock, now=now, game=game)


def ask_in_game(*, asker: Asker, game: Game, ply: int, version: Version, now: datetime) -> Question:
    """Ask a version for its turn after `ply` plies of a recorded game, with the clock of the side that moved there.

    Raises QuestionRefused, TooMany, Forbidden.
    """
    try:
        record = GameRecord.from_dict(game.record)
        check_rules(record)
    except RecordError:
        raise QuestionRefused(gettext(
            "The game was recorded under older rules: ask about a newer game, or about your own turns.")) from None
    played = [*record.opening, *(turn.turn for turn in record.turns)]
    if not 0 <= ply <= len(played):
        raise QuestionRefused(gettext(
            "The game has %(count)s plies, so there is no position after %(ply)s: choose 0 to %(count)s."),
            count=len(played), ply=ply)
    return ask_here(asker=asker, version=version, ruleset=record.ruleset, size=record.size, turns=played[:ply],
                    control=record.time_control, left=clock_at(record, ply), now=now, game=game)


def refuse_unaskable(version: Version, ruleset: str) -> None:
    """Raise QuestionRefused for a version that is not active or is banned, or does not play the ruleset."""
    if version.status != VersionStatus.ACTIVE:
        raise QuestionRefused(gettext(
            "%(version)s is %(status)s: choose an active version."), version=version,
            status=version.get_status_display().lower())
    if ruleset not in version.rulesets:
        raise QuestionRefused(gettext(
            "%(version)s does not play %(ruleset)s: choose another version."), version=version,
            ruleset=find(ruleset).name)
    if ban_of(bot=version.bot) is not None:
        raise QuestionRefused(gettext("%(bot)s cannot take part at present: choose another bot."), bot=version.bot.name)


def enqueue(*, asker: Asker, version: Version, ruleset: str, size: int, turns: Sequence[str], control: TimeControl,
        left: float, now: datetime, game: Game | None = None, casual: CasualGame | None = None) -> Question:
    """Insert a question and publish its ID after the commit. Call it in a transaction; it checks nothing."""
    facts: dict[str, Any] = asker.facts
    question = Question.objects.create(
        **facts, token=LINK.make(), version=version, casual=casual, game=game, ruleset=ruleset, size=size,
        turns=list(turns), base_seconds=control.base, increment_seconds=control.increment,
        per_turn_seconds=control.per_turn, left_seconds=left, created_at=now)
    transaction.on_commit(lambda: publish_question(question.pk, now))
    return question


def publish_question(question_id: int, now: datetime) -> None:
    """Publish a new question's ID at once; while Redis is unavailable, the coordinator does it later."""
    try:
        with queues.connected(queues.REQUEST) as connection:
            publish(connection.default_channel.client, queues.QUESTIONS_QUEUE, queues.ANSWER_QUESTION, [question_id])
    except queues.AWAY as error:
        _redis.met(error, "questions wait in the database")
        return
    _redis.over()
    Question.objects.filter(pk=question_id, published_at=None).update(published_at=now)


def _playable(ruleset: str, size: int, turns: Sequence[str]) -> list[str]:
    """Return the turns in canonical notation, if they lead to a position with a side to move.

    Raises QuestionRefused.
    """
    if len(turns) > default_ply_cap(size):
        raise QuestionRefused(gettext(
            "A game on this board has at most %(most)s plies, not %(count)s: ask about fewer turns."),
            most=default_ply_cap(size), count=len(turns))
    try:
        position, told = retold(find(ruleset), size, turns)
    except (NoQuestion, SetupError) as error:
        raise QuestionRefused(str(error)) from None
    if position.outcome is not None:
        raise QuestionRefused(gettext("The game is over in this position: choose an earlier one."))
    return [text for _, text in told]


def _limit() -> Limit:
    return Limit(gettext("questions"), settings.OPEN_QUESTIONS, settings.QUESTIONS_PER_HOUR,
                 Q(status__in=QUESTION_OPEN))
