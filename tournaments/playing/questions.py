"""What a worker process does with a question's id: claim it, start the bot anew, ask it, record the answer; or void."""

import functools
import logging

from engines.asking import Answer, Question, ask
from engines.clock import TimeControl
from engines.host import HostStarved
from engines.registry import find
from engines.sandbox import SandboxError
from tournaments.playing.heartbeat import Heartbeat
from tournaments.playing.worker import Desk, this_process
from tournaments.services.answers import QuestionLease, claim, finish, renew, void
from tournaments.services.matches import LeaseLost
from tournaments.site.clock import shared_now
from tournaments.site.logs import about

log = logging.getLogger(__name__)


def answer(question_id: int) -> None:
    """Put the question to its bot, if it can be claimed, and record what came of it."""
    desk = this_process()
    if not desk.rest.until_well():
        return
    lease = claim(question_id=question_id, worker=desk.name, tier=desk.sandbox.tier, now=shared_now())
    if lease is None:
        return
    with about(question=question_id, attempt=lease.number, worker=desk.name):
        _answer(desk, lease)


def _answer(desk: Desk, lease: QuestionLease) -> None:
    what = f"question {lease.question.pk}"
    try:
        with Heartbeat(functools.partial(renew, lease), what) as heartbeat:
            answered = _ask(desk, lease, heartbeat)
    except LeaseLost as lost:
        # Whoever took the question has judged the attempt.
        log.warning("%s, attempt %d: %s", what, lease.number, lost)
    except HostStarved as starved:
        log.warning("%s, attempt %d is void: %s", what, lease.number, starved)
        void(lease, f"the host was starved: {starved}", shared_now())
    except SandboxError as fault:
        log.warning("%s, attempt %d is void: %s", what, lease.number, fault)
        desk.rest.failed()
        void(lease, f"the sandbox failed: {fault}", shared_now())
    except Exception as error:
        # A fault of ours, whatever it is, must not be an answer; Celery logs it with its traceback.
        desk.rest.failed()
        void(lease, f"the worker failed: {type(error).__name__}: {error}", shared_now())
        raise
    else:
        counts = finish(lease, answered, shared_now())
        log.info("%s, attempt %d: %s", what, lease.number,
                 (answered.turn or str(answered.fault and answered.fault.kind)) if counts else "came too late")


def _ask(desk: Desk, lease: QuestionLease, heartbeat: Heartbeat) -> Answer:
    asked = lease.question
    control = TimeControl(asked.base_seconds, asked.increment_seconds, asked.per_turn_seconds)
    answered = ask(Question(find(asked.ruleset), asked.size, tuple(asked.turns), control, asked.left_seconds),
                   desk.player(asked.version, heartbeat))
    if answered.fault is not None:
        desk.excuse(asked.version)
    return answered
