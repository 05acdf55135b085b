"""One question under a lease (`services/shared/leases`), from claim to answer."""

from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from engines.referee.questions import Answer
from tournaments.models import CasualGame, Question
from tournaments.models.lifecycle import CasualStatus, QuestionStatus
from tournaments.services.casual import turns
from tournaments.services.shared import leases
from tournaments.services.shared.failures import each
from tournaments.services.shared.wakeups import Step, wake

NO_WORKER: Final = "no worker took the question in time"
# No one watches the page for longer.
LONGEST_WAIT: Final = timedelta(minutes=10)


class QuestionLease(leases.Lease[Question]):
    """A worker's claim on a question."""

    __slots__ = ()


def claim(*, question_id: int, worker: str, tier: str, now: datetime) -> QuestionLease | None:
    """Claim a waiting question; return None if it is taken, over, not due, or not for this tier."""
    question = leases.claim(Question, question_id, tier=tier, now=now,
                            facts={"worker": worker, "tier": tier})
    return question and _lease(question)


def finish(lease: QuestionLease, answer: Answer, now: datetime) -> bool:
    """Record the answer, and play it if the question is a casual game's; return False if it no longer counts."""
    fault = answer.fault
    facts = {"answer": answer.turn} if fault is None else {
        "fault": fault.kind.value, "fault_line": fault.line, "fault_message": fault.message}
    with transaction.atomic():
        game = _game_of(lease.work)
        counts = leases.end(lease, QuestionStatus.ANSWERED, ended_at=now, setback="", seconds=answer.seconds,
                            wall_seconds=answer.wall, stderr=answer.stderr, **facts)
        if counts and game is not None:
            turns.apply_answer(game, answer, now)
    return counts


def void(lease: QuestionLease, reason: str, now: datetime, *, expired_by: datetime | None = None) -> bool:
    """Give up an attempt that the infrastructure spoiled: the question is requeued, or void after the last try.

    With `expired_by`, only if the lease had expired by then. The retry is due at once, because a person waits for the
    answer.
    """
    with transaction.atomic():
        wake(Step.PUBLISH)
        game = _game_of(lease.work)
        held = leases.held(lease, expired_by)
        if lease.number >= settings.MAX_ATTEMPTS:
            return _give_up(held, game, reason, now)
        return leases.release(held, due_at=now, setback=reason)


def reap(now: datetime) -> int:
    """Void the attempts whose leases expired before `now`, and questions that no worker took; return how many."""
    old = Question.objects.filter(status=QuestionStatus.RECEIVED, created_at__lt=now - LONGEST_WAIT).order_by("pk")
    return (leases.reap("reap questions", Question, _lease, void, now)
            + each("reap questions", old.values_list("pk", flat=True),
                   partial(_expire, now=now), now=now, most=leases.REAPED_AT_ONCE))


def _expire(pk: int, *, now: datetime) -> bool:
    with transaction.atomic():
        game = _game_of(Question.objects.get(pk=pk))
        return _give_up(Question.objects.filter(pk=pk, status=QuestionStatus.RECEIVED), game, NO_WORKER, now)


def _give_up(held: QuerySet[Question], game: CasualGame | None, reason: str, now: datetime) -> bool:
    """Make the question permanently void, and its casual game with it: neither side loses."""
    given_up = held.update(status=QuestionStatus.VOID, lease_until=None, ended_at=now, setback=reason)
    if given_up and game is not None:
        turns.end(game, now, status=CasualStatus.VOID)
    return bool(given_up)


def _lease(question: Question) -> QuestionLease:
    return QuestionLease(question, question.attempt, question.worker, question.lease_until)


def _game_of(question: Question) -> CasualGame | None:
    """Lock and return the question's casual game: before the question's row, as everywhere, to avoid deadlocks."""
    return None if question.casual_id is None else turns.lock_game(question.casual_id)
