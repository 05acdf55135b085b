"""One question, from claim to answer. As with matches and checks, only the newest attempt number may write."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from engines.referee.questions import Answer
from tournaments.models import CasualGame, Question
from tournaments.models.lifecycle import QUESTION_TRANSITIONS, CasualStatus, QuestionStatus
from tournaments.operations.workers import FULL_TIER
from tournaments.services.casual import turns
from tournaments.services.matches.matches import LeaseLost, lease_duration
from tournaments.services.matches.publishing import unpublished
from tournaments.services.shared.failures import each

log = logging.getLogger(__name__)
LEASE_LOST: Final = "the lease was lost before the question was answered"
NO_WORKER: Final = "no worker took the question in time"
# Nobody looks at the page for longer.
LONGEST_WAIT: Final = timedelta(minutes=10)
_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class QuestionLease:
    """A worker's claim on a question, its attempt `number`. `question` comes with its version and bot."""

    question: Question
    number: int


def askable(lost_before: datetime) -> QuerySet[Question]:
    """Questions to put whose id is not on its way: never published, or so long ago that it may be lost."""
    return Question.objects.filter(unpublished(lost_before), status=QuestionStatus.RECEIVED)


def claim(*, question_id: int, worker: str, tier: str, now: datetime) -> QuestionLease | None:
    """Take a question that waits; None when it is not to be had: taken, over, or not for this tier."""
    free = Question.objects.filter(pk=question_id, status__in=QUESTION_TRANSITIONS["claim"])
    question = free.select_related("version__bot").first()
    if question is None or (tier != FULL_TIER and not question.version.trusted):
        return None
    number = question.attempt + 1
    taken = free.filter(attempt=question.attempt).update(
        status=QuestionStatus.ASKING, attempt=number, worker=worker, tier=tier, lease_until=now + lease_duration())
    return QuestionLease(question, number) if taken else None


def renew(lease: QuestionLease, now: datetime) -> None:
    """Let the lease hold for its full duration from now. Raises LeaseLost."""
    if not _held(lease.question, lease.number).update(lease_until=now + lease_duration()):
        raise LeaseLost(LEASE_LOST)


def finish(lease: QuestionLease, answer: Answer, now: datetime) -> bool:
    """Record the answer, and play it where the question is a casual game's; False when it does not count (any more)."""
    fault = answer.fault
    facts = {"answer": answer.turn} if fault is None else {
        "fault": fault.kind.value, "fault_line": fault.line, "fault_message": fault.message}
    with transaction.atomic():
        game = _game_of(lease.question)
        counts = _held(lease.question, lease.number).update(
            status=QuestionStatus.ANSWERED, lease_until=None, ended_at=now, setback="", seconds=answer.seconds,
            wall_seconds=answer.wall, stderr=answer.stderr, **facts)
        if counts and game is not None:
            turns.apply_answer(game, answer, now)
    return bool(counts)


def void(lease: QuestionLease, reason: str, now: datetime) -> bool:
    """Give up an attempt that the infrastructure spoiled: the question is put again, or void after the last try."""
    return _void(lease.question, lease.number, reason, now, Q())


def reap_questions(now: datetime) -> int:
    """Void the attempts whose leases have run out by `now`, and questions that nobody took; returns how many."""
    lost = Question.objects.filter(status=QuestionStatus.ASKING, lease_until__lt=now).order_by("lease_until")
    old = Question.objects.filter(status=QuestionStatus.RECEIVED, created_at__lt=now - LONGEST_WAIT).order_by("pk")
    return sum(each("reap questions", questions.values_list("pk", flat=True), partial(act, now=now), now=now,
                    most=_AT_ONCE) for questions, act in ((lost, _reap), (old, _expire)))


def _reap(pk: int, *, now: datetime) -> bool:
    question = Question.objects.get(pk=pk)
    reason = f"the lease of {question.worker} ran out"
    done = _void(question, question.attempt, reason, now, Q(lease_until__lt=now))
    if done:
        log.warning("question %d: %s (attempt %d)", question.pk, reason, question.attempt)
    return done


def _expire(pk: int, *, now: datetime) -> int:
    with transaction.atomic():
        game = _game_of(Question.objects.get(pk=pk))
        return _give_up(Question.objects.filter(pk=pk, status=QuestionStatus.RECEIVED), game, NO_WORKER, now)


def _void(question: Question, number: int, reason: str, now: datetime, only: Q) -> bool:
    with transaction.atomic():
        game = _game_of(question)
        held = _held(question, number).filter(only)
        if number >= settings.MAX_ATTEMPTS:
            return bool(_give_up(held, game, reason, now))
        return bool(held.update(status=QuestionStatus.RECEIVED, lease_until=None, published_at=None, setback=reason))


def _give_up(held: QuerySet[Question], game: CasualGame | None, reason: str, now: datetime) -> int:
    """The question is void for good, and so is its casual game: nobody lost it."""
    given_up = held.update(status=QuestionStatus.VOID, lease_until=None, ended_at=now, setback=reason)
    if given_up and game is not None:
        turns.end(game, now, status=CasualStatus.VOID)
    return given_up


def _held(question: Question, number: int) -> QuerySet[Question]:
    """The question if it is still asked under this number: the fence."""
    return Question.objects.filter(pk=question.pk, status=QuestionStatus.ASKING, attempt=number)


def _game_of(question: Question) -> CasualGame | None:
    """The question's casual game, held. Before the question's row, as everybody does: no deadlocks."""
    return None if question.casual_id is None else turns.lock_game(question.casual_id)
