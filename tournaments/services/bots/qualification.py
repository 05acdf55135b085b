"""One submission's check, from claim to verdict (`services/shared/leases`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from engines.check import Failure
from tournaments.models import Bot, Check, QualificationGame, Submission, Version
from tournaments.models.lifecycle import AttemptStatus, SubmissionStatus
from tournaments.platform.text import sentence
from tournaments.selectors.shared.permissions import manager_ids
from tournaments.services.bots.archives import store
from tournaments.services.bots.check_notes import storable
from tournaments.services.bots.submissions import SubmissionRefused, free_address
from tournaments.services.ladders import ladder_play, trials
from tournaments.services.notices import outbox
from tournaments.services.shared import leases
from tournaments.services.shared.locks import Lock, hold
from tournaments.services.shared.statements import insert

_LONGEST_WAIT: Final = timedelta(minutes=10)
# Of the uploader, what a worker's role may read (tournaments/operations/grants).
_FOR_WORKERS: Final = ("username", "is_staff", "is_active")


@dataclass(frozen=True, slots=True)
class CheckLease(leases.Lease[Submission]):
    """A worker's claim on a submission, which comes with its uploader."""

    check: Check


def claim(*, submission_id: int, worker: str, tier: str, now: datetime) -> CheckLease | None:
    """Take a received submission; None when it is not to be had: taken, judged, not due, or not for this tier."""
    with transaction.atomic():
        submission = leases.claim(Submission, submission_id, tier=tier, trusted=Q(uploader__is_staff=True), now=now)
        if submission is None:
            return None
        check = Check(submission=submission, number=submission.attempt, worker=worker, tier=tier, started_at=now)
        insert([check])
    submission.uploader = User.objects.only(*_FOR_WORKERS).get(pk=submission.uploader_id)
    return _lease(submission, check)


def accept(lease: CheckLease, *, rulesets: Sequence[str], artefact: bytes | None, log: str,
           now: datetime) -> Version | None:
    """Make the bot's next version of a submission that has qualified, and the bot if it is new.

    `artefact` is what its build left, None when there was nothing to build. None when the check does not count (any
    more), or when the name is not the author's any more, or is under a ban: then the submission is refused.
    """
    submission = lease.work
    try:
        with transaction.atomic():
            path = submission.archive.name if artefact is None else store("builds", artefact)
            hold(Lock.UPLOADS)
            if not _judge(lease, now, SubmissionStatus.ACCEPTED, log=storable(log)):
                return None
            slug = free_address(submission.name, submission.uploader)
            bot, _ = Bot.objects.get_or_create(slug=slug, defaults={
                "name": submission.name, "owner": submission.uploader, "created_at": now})
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
    """Refuse a submission at the step that it failed; False when the check does not count (any more).

    `log` is what its build wrote.
    """
    stderr = failure.log if failure.log != log else ""
    with transaction.atomic():
        return _refuse(lease, now, step=failure.step, log=storable(log), refusal=storable(sentence(str(failure))),
                       line=storable(failure.line), stderr=storable(stderr))


def void(lease: CheckLease, reason: str, now: datetime, *, expired_by: datetime | None = None) -> bool:
    """Give up a check that the infrastructure spoiled: it is repeated, after a while that grows each time.

    With `expired_by` only if the lease had run out then. One that ruins every worker must not keep them all busy.
    """
    wait = min(leases.back_off(lease.number), _LONGEST_WAIT)
    with transaction.atomic():
        released = leases.release(leases.held(lease, expired_by), due_at=now + wait)
        if released or expired_by is None:
            _void_run(lease.check, reason, now)
    return released


def reap(now: datetime) -> int:
    """Void the checks whose leases have run out by `now`; returns how many."""
    return leases.reap("reap checks", Submission,
                       lambda row: _lease(row, row.checks.get(number=row.attempt)), void, now)


def _lease(submission: Submission, check: Check) -> CheckLease:
    return CheckLease(submission, check.number, check.worker, submission.lease_until, check)


def _refuse(lease: CheckLease, now: datetime, *, step: str, refusal: str, **facts: object) -> bool:
    """Write that verdict and tell the uploader, if the check still holds its submission. In a transaction."""
    submission = lease.work
    counts = _judge(lease, now, SubmissionStatus.REFUSED, step=step, refusal=refusal, **facts)
    if counts:
        outbox.emit("submission.refused", to={submission.uploader_id}, now=now, payload={
            "submission": submission.pk, "name": submission.name, "step": step, "refusal": refusal})
    return counts


def _judge(lease: CheckLease, now: datetime, status: SubmissionStatus, **facts: object) -> bool:
    """Write the verdict, if the check still holds its submission. In a transaction."""
    counts = leases.end(lease, status, judged_at=now, **facts)
    if counts:
        leases.end_run(lease.check, AttemptStatus.COUNTED, now, log="")
    else:
        _void_run(lease.check, lease.work.LEASE_LOST, now)
    return counts


def _void_run(check: Check, reason: str, now: datetime) -> None:
    if leases.end_run(check, AttemptStatus.VOID, now, storable(reason), log=""):
        # It is repeated as often as it has to be; what counts then are the games of the one that counts.
        QualificationGame.objects.filter(check_run=check).delete()
