"""One submission's check, from claim to verdict. As with matches, only the newest attempt number may write."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet

from engines.check import Failure
from tournaments.models import Bot, Check, QualificationGame, Submission, Version
from tournaments.models.lifecycle import SUBMISSION_TRANSITIONS, AttemptStatus, SubmissionStatus
from tournaments.operations.workers import FULL_TIER
from tournaments.platform.text import sentence
from tournaments.selectors.shared.permissions import manager_ids
from tournaments.services.bots.archives import store
from tournaments.services.bots.check_notes import storable
from tournaments.services.bots.submissions import SubmissionRefused, free_address
from tournaments.services.ladders import ladder_play, trials
from tournaments.services.matches.matches import LeaseLost, lease_duration
from tournaments.services.matches.publishing import lost_before, unpublished
from tournaments.services.notices import outbox
from tournaments.services.shared.failures import each
from tournaments.services.shared.locks import Lock, hold

log = logging.getLogger(__name__)
LEASE_LOST: Final = "the lease was lost before the check was over"
_LONGEST_WAIT: Final = timedelta(minutes=10)
_AT_ONCE: Final = 100
# Of the uploader, what a worker's role may not read (tournaments/operations/grants).
NOT_FOR_WORKERS: Final = [f"uploader__{name}" for name in (
    "password", "email", "first_name", "last_name", "last_login", "date_joined", "is_superuser")]


@dataclass(frozen=True, slots=True)
class CheckLease:
    """A worker's claim on a submission. `submission` comes with its uploader."""

    submission: Submission
    check: Check


def checkable(now: datetime) -> QuerySet[Submission]:
    """Submissions to check whose id is not on its way: never published, or so long ago that it may be lost."""
    return Submission.objects.filter(unpublished(lost_before(now)), due_at__lte=now,
                                     status=SubmissionStatus.RECEIVED)


def claim(*, submission_id: int, worker: str, tier: str, now: datetime) -> CheckLease | None:
    """Take a received submission; None when it is not to be had: taken, judged, not due, or not for this tier."""
    free = Submission.objects.filter(pk=submission_id, status__in=SUBMISSION_TRANSITIONS["claim"], due_at__lte=now)
    submission = free.select_related("uploader").defer(*NOT_FOR_WORKERS).first()
    if submission is None or (tier != FULL_TIER and not submission.uploader.is_staff):
        return None
    number = submission.attempt + 1
    with transaction.atomic():
        taken = free.filter(attempt=submission.attempt).update(
            status=SubmissionStatus.CHECKING, attempt=number, lease_until=now + lease_duration())
        if not taken:
            return None
        check = Check.objects.create(submission=submission, number=number, worker=worker, tier=tier, started_at=now)
    return CheckLease(submission, check)


def renew(lease: CheckLease, now: datetime) -> None:
    """Let the lease hold for its full duration from now. Raises LeaseLost."""
    if not _mine(lease).update(lease_until=now + lease_duration()):
        raise LeaseLost(LEASE_LOST)


def accept(lease: CheckLease, *, rulesets: Sequence[str], artefact: bytes | None, log: str,
           now: datetime) -> Version | None:
    """Make the bot's next version of a submission that has qualified, and the bot if it is new.

    `artefact` is what its build left, None when there was nothing to build. None when the check does not count (any
    more), or when the name is not the author's any more, or is under a ban: then the submission is refused.
    """
    submission = lease.submission
    try:
        with transaction.atomic():
            path = submission.archive.name if artefact is None else store("builds", artefact)
            hold(Lock.UPLOADS)
            if not _judge(lease, now, status=SubmissionStatus.ACCEPTED, log=storable(log)):
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


def void(lease: CheckLease, reason: str, now: datetime) -> None:
    """Give up a check that the infrastructure spoiled: it is repeated, after a while that grows each time."""
    with transaction.atomic():
        _release(_mine(lease), lease.check.number, now)
        _end(lease.check, AttemptStatus.VOID, now, reason)


def reap_checks(now: datetime) -> int:
    """Void the checks whose leases have run out by `now`; returns how many."""
    lost = (Check.objects.filter(status=AttemptStatus.RUNNING, submission__status=SubmissionStatus.CHECKING,
                                 submission__lease_until__lt=now, number=F("submission__attempt"))
            .order_by("submission__lease_until").values_list("pk", flat=True))
    return each("reap checks", lost, partial(_reap, now=now), now=now, most=_AT_ONCE)


def _reap(pk: int, *, now: datetime) -> bool:
    check = Check.objects.get(pk=pk)
    reason = f"the lease of {check.worker} ran out"
    with transaction.atomic():
        if not _release(_held(check).filter(lease_until__lt=now), check.number, now):
            return False
        _end(check, AttemptStatus.VOID, now, reason)
    log.warning("submission %d: %s (check %d)", check.submission_id, reason, check.number)
    return True


def _release(held: QuerySet[Submission], number: int, now: datetime) -> bool:
    """Put the submission back, to be checked again. One that ruins every worker must not keep them all busy."""
    wait = min(timedelta(seconds=settings.REPUBLISH_SECONDS) * 2 ** min(number - 1, 16), _LONGEST_WAIT)
    return bool(held.update(status=SubmissionStatus.RECEIVED, lease_until=None, published_at=None, due_at=now + wait))


def _refuse(lease: CheckLease, now: datetime, *, step: str, refusal: str, **facts: object) -> bool:
    """Write that verdict and tell the uploader, if the check still holds its submission. In a transaction."""
    submission = lease.submission
    counts = _judge(lease, now, status=SubmissionStatus.REFUSED, step=step, refusal=refusal, **facts)
    if counts:
        outbox.emit("submission.refused", to={submission.uploader_id}, now=now, payload={
            "submission": submission.pk, "name": submission.name, "step": step, "refusal": refusal})
    return counts


def _judge(lease: CheckLease, now: datetime, **verdict: object) -> bool:
    """Write the verdict, if the check still holds its submission. In a transaction."""
    counts = _mine(lease).update(judged_at=now, lease_until=None, **verdict)
    if counts:
        _end(lease.check, AttemptStatus.COUNTED, now)
    else:
        _end(lease.check, AttemptStatus.VOID, now, LEASE_LOST)
    return bool(counts)


def _mine(lease: CheckLease) -> QuerySet[Submission]:
    return _held(lease.check)


def _held(check: Check) -> QuerySet[Submission]:
    """The submission if it is still checked under this number: the fence."""
    return Submission.objects.filter(pk=check.submission_id, status=SubmissionStatus.CHECKING, attempt=check.number)


def _end(check: Check, status: AttemptStatus, now: datetime, reason: str = "") -> None:
    ended = Check.objects.filter(pk=check.pk, status=AttemptStatus.RUNNING).update(
        status=status, reason=storable(reason), ended_at=now, log="")
    if ended and status == AttemptStatus.VOID:
        # It is repeated as often as it has to be; what counts then are the games of the one that counts.
        QualificationGame.objects.filter(check_run=check).delete()
