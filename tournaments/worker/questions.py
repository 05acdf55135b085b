"""Answering of a question by a worker process: claim it, ask the bot in a fresh sandbox, record or void the answer."""

import logging

from engines.records.time_control import TimeControl
from engines.referee.questions import Answer, Question, ask
from engines.rules.registry import find
from tournaments.platform.logs import about
from tournaments.services.casual import answers
from tournaments.services.casual.answers import QuestionLease
from tournaments.worker.attempts import attempt, name_of
from tournaments.worker.database.place import borrowing_now
from tournaments.worker.heartbeat import Heartbeat
from tournaments.worker.worker import WorkerContext, this_process

log = logging.getLogger(__name__)

claim, finish, void = map(borrowing_now, (answers.claim, answers.finish, answers.void))


def answer(question_id: int) -> None:
    """Ask the bot the question, if it can be claimed, and record the result."""
    context = this_process()
    with context.taking(claim, question_id=question_id) as lease:
        if lease is None:
            return
        with about(question=question_id, attempt=lease.number, worker=context.name):
            _answer(context, lease)


def _answer(context: WorkerContext, lease: QuestionLease) -> None:
    answered = attempt(lease, lambda heartbeat: _ask(context, lease, heartbeat), void=void, rest=context.rest)
    if answered is None:
        return
    counts = finish(lease, answered)
    log.info("%s: %s", name_of(lease),
             (answered.turn or str(answered.fault and answered.fault.kind)) if counts else "finished too late")


def _ask(context: WorkerContext, lease: QuestionLease, heartbeat: Heartbeat) -> Answer:
    asked = lease.work
    control = TimeControl(asked.base_seconds, asked.increment_seconds, asked.per_turn_seconds)
    answered = ask(Question(find(asked.ruleset), asked.size, tuple(asked.turns), control, asked.left_seconds),
                   context.player(asked.version, heartbeat))
    if answered.fault is not None:
        context.excuse(asked.version)
    return answered
