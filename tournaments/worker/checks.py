"""Checking of a submission by a worker process: claim it, check it in the sandbox, and judge it or void the check."""

import itertools
import logging

from django.conf import settings

from engines.check import Step, Verdict, check_submission
from engines.sandbox import Sandbox, SandboxError
from tournaments.platform.logs import about
from tournaments.services.bots import check_notes, qualification
from tournaments.services.bots.archives import content_hash
from tournaments.services.bots.qualification import CheckLease
from tournaments.worker.attempts import attempt, name_of
from tournaments.worker.database.place import borrowed, borrowing_now
from tournaments.worker.heartbeat import Heartbeat
from tournaments.worker.worker import WorkerContext, content_of, this_process

log = logging.getLogger(__name__)

accept, claim, refuse, void = map(borrowing_now, (
    qualification.accept, qualification.claim, qualification.refuse, qualification.void))
note_game, note_log, note_steps = map(borrowed(), (
    check_notes.note_game, check_notes.note_log, check_notes.note_steps))


def check(submission_id: int) -> None:
    """Check the submission, if it can be claimed, and record the verdict, or the reason for a missing one."""
    context = this_process()
    with context.taking(claim, submission_id=submission_id) as lease:
        if lease is None:
            return
        with about(submission=submission_id, check=lease.number, worker=context.name):
            _check(context, lease)


def _check(context: WorkerContext, lease: CheckLease) -> None:
    def judge(heartbeat: Heartbeat) -> tuple[Verdict, bytes | None]:
        verdict = _run(lease, context.sandbox, heartbeat)
        built = verdict.build is not None and verdict.build.manifest.build is not None
        return verdict, context.sandbox.runtime.artefact(verdict.build) if built and verdict.passed else None

    judged = attempt(lease, judge, void=void, rest=context.rest)
    if judged is not None:
        _judge(lease, *judged)


def _run(lease: CheckLease, sandbox: Sandbox, heartbeat: Heartbeat) -> Verdict:
    """Run the check, recording its steps, log and games as they come."""
    archive = content_of(lease.work.archive, str(lease.work))
    if content_hash(archive) != lease.work.sha256:
        raise SandboxError("the archive differs from the uploaded one: its storage is damaged")
    steps: list[Step] = []

    def on_step(step: Step) -> None:
        heartbeat.check()
        if step.passed is not None:
            steps[-1] = step  # saved when the next step begins: one write per step is enough
            return
        steps.append(step)
        note_steps(lease.check, steps)

    shown = ""

    def on_log(log: str) -> None:
        nonlocal shown
        heartbeat.check()
        if log != shown:
            note_log(lease.check, log)
            shown = log

    numbers = itertools.count(1)
    verdict = check_submission(archive, sandbox, on_step=on_step, on_turn=heartbeat.check, on_log=on_log,
                               on_game=lambda record: note_game(lease.check, next(numbers), record),
                               on_start=lambda process: heartbeat.kill_when_lost(process.pid),
                               largest=settings.MAX_ARCHIVE_BYTES)
    note_steps(lease.check, steps)
    return verdict


def _judge(lease: CheckLease, verdict: Verdict, artefact: bytes | None) -> None:
    if verdict.failure is not None:
        refuse(lease, verdict.failure, log=verdict.log)
        outcome = str(verdict.failure)
    else:
        assert verdict.manifest is not None
        version = accept(lease, rulesets=verdict.manifest.rulesets, artefact=artefact, log=verdict.log)
        outcome = f"became {version}" if version else "did not become a version"
    log.info("%s: %s", name_of(lease), ascii(outcome)[1:-1])
