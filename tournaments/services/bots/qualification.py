"""One submission's check under a lease (`services/shared/leases`), from claim to verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction

from engines.check import Failure
from tournaments.models import Bot, Check, QualificationGame, Submission, Version
from tournaments.models.lifecycle import AttemptStatus, SubmissionStatus
from tournaments.platform.text import sentence
from tournaments.selectors.shared.permissions import manager_ids
from tournaments.services.bots.archives import store
from tournaments.services.bots.check_notes import storable
from tournaments.services.bots.submissions import SubmissionRefused, bot_for
from tournaments.services.ladders import ladder_play, trials
from tournaments.services.notices import outbox
from tournaments.services.shared import leases
from tournaments.services.shared.locks import Lock, hold
from tournaments.services.shared.slugs import free_slug
from tournaments.services.shared.statements import insert
from tournaments.services.shared.wakeups import Step, wake

_LONGEST_WAIT: Final = timedelta(minutes=10)
# The uploader's columns that a worker's database role may read (tournaments/operations/grants).
_FOR_WORKERS: Final = ("username", "is_staff", "is_active")


@dataclass(frozen=True, slots=True)
class CheckLease(leases.Lease[Submission]):
    """A worker's claim on a submission, which is loaded with its uploader."""

    check: Check


def claim(*, submission_id: int, worker: str, tier: str, now: datetime) -> CheckLease | None:
    """Claim a received submission; return None if it is taken, judged, not due, or not for this tier."""
    with transaction.atomic():
        submission = leases.claim(Submission, submission_id, tier=tier, now=now)
        if submission is None:
            return None
        check = Check(submission=submission, number=submission.attempt, worker=worker, tier=tier, started_at=now)
        insert([check])
    submission.uploader = User.objects.only(*_FOR_WORKERS).get(pk=submission.uploader_id)
    return _lease(submission, check)


def accept(lease: CheckLease, *, rulesets: Sequence[str], artefact: bytes | None, log: str,
           now: datetime) -> Version | None:
    """Create the bot's next version from a qualified submission, and the bot if it is new.

    `artefact` is the result of the build, or None if there was nothing to build. Return None if the check no longer
    counts, or if the author may no longer use the name or is banned; in these two cases the submission is refused.
    """
    submission = lease.work
    try:
        with transaction.atomic():
            path = submission.archive.name if artefact is None else store("builds", artefact)
            hold(Lock.UPLOADS)
            if not _judge(lease, now, SubmissionStatus.ACCEPTED, log=storable(log)):
                return None
            bot = bot_for(submission.name, submission.uploader) or Bot.objects.create(
                slug=free_slug(Bot, submission.slug, "bot"), name=submission.name, owner=submission.uploader,
                created_at=now)
            newest = bot.versions.order_by("-number").first()
            version = Version.objects.create(
                bot=bot, number=newest.number + 1 if newest else 1, submission=submission,
                archive=submission.archive.name, sha256=submission.sha256, artefact=path,
                artefact_sha256=path.rpartition("/")[2], rulesets=list(rulesets),
                trusted=submission.uploader.is_staff, created_at=now)
            ladder_play.take_over(version, now)
            trials.begin(version, now)
            outbox.emit("submission.accepted", to=manager_ids(bot) | {submission.uploader_id}, now=now, payload={
                "submission": submission.pk, "bot": bot.slug, "name": bot.name, "version": version.number,
                "version_id": version.pk})
            return version
    except SubmissionRefused as refusal:
        with transaction.atomic():
            _refuse(lease, now, step=refusal.step, refusal=str(refusal), log=storable(log))
        return None


def refuse(lease: CheckLease, failure: Failure, *, log: str, now: datetime) -> bool:
    """Refuse a submission at the step that it failed; return False if the check no longer counts.

    `log` is the output of its build.
    """
    stderr = failure.log if failure.log != log else ""
    with transaction.atomic():
        return _refuse(lease, now, step=failure.step, log=storable(log), refusal=storable(sentence(str(failure))),
                       line=storable(failure.line), stderr=storable(stderr))


def void(lease: CheckLease, reason: str, now: datetime, *, expired_by: datetime | None = None) -> bool:
    """Give up a check that the infrastructure spoiled. It is retried after a wait that grows each time.

    With `expired_by`, only if the lease had expired by then. The growing wait keeps a submission that breaks every
    worker from occupying all of them.
    """
    wait = min(leases.back_off(lease.number), _LONGEST_WAIT)
    with transaction.atomic():
        released = leases.release(leases.held(lease, expired_by), due_at=now + wait)
        if released or expired_by is None:
            _void_run(lease.check, reason, now)
        wake(Step.PUBLISH)
    return released


def reap(now: datetime) -> int:
    """Void the checks whose leases expired before `now`; return how many."""
    return leases.reap("reap checks", Submission,
                       lambda row: _lease(row, row.checks.get(number=row.attempt)), void, now)


def _lease(submission: Submission, check: Check) -> CheckLease:
    return CheckLease(submission, check.number, check.worker, submission.lease_until, check)


def _refuse(lease: CheckLease, now: datetime, *, step: str, refusal: str, **facts: object) -> bool:
    """Write the refusal and notify the uploader, if the check still holds its submission. Call it in a transaction."""
    submission = lease.work
    counts = _judge(lease, now, SubmissionStatus.REFUSED, step=step, refusal=refusal, **facts)
    if counts:
        outbox.emit("submission.refused", to={submission.uploader_id}, now=now, payload={
            "submission": submission.pk, "name": submission.name, "step": step, "refusal": refusal})
    return counts


def _judge(lease: CheckLease, now: datetime, status: SubmissionStatus, **facts: object) -> bool:
    """Write the verdict, if the check still holds its submission; return whether it does. Call it in a transaction."""
    counts = leases.end(lease, status, judged_at=now, **facts)
    if counts:
        leases.end_run(lease.check, AttemptStatus.COUNTED, now, log="")
    else:
        _void_run(lease.check, lease.work.LEASE_LOST, now)
    return counts


def _void_run(check: Check, reason: str, now: datetime) -> None:
    if leases.end_run(check, AttemptStatus.VOID, now, storable(reason), log=""):
        # The check is retried until one counts; only the games of that one are retained.
        QualificationGame.objects.filter(check_run=check).delete()
