"""Reads about uploads: whose they are, and how far their checks have come."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Prefetch, QuerySet

from tournaments.models import Check, QualificationGame, Submission
from tournaments.models.lifecycle import AttemptStatus, SubmissionStatus
from tournaments.operations import workers
from tournaments.services.matches.matches import FULL_TIER

# Of a longer queue nobody wants to know how long it is.
_COUNTED = 1000


def submissions_for(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Submission]:
    """What this user may see: staff every upload, an author the own ones, anybody else none; newest first."""
    rows = Submission.objects.select_related("uploader", "version__bot").prefetch_related(
        Prefetch("checks", Check.objects.order_by("number")))
    if user.is_authenticated and user.is_staff:
        return rows
    return rows.filter(uploader=user.pk)


def newest_check(submission: Submission) -> Check | None:
    """The check that judged it, or that is under way, or that was tried last."""
    return next(reversed(submission.checks.all()), None)


def setback(submission: Submission) -> str:
    """Why its last check is repeated, when the infrastructure spoiled it; else ""."""
    last = newest_check(submission)
    return last.reason if last is not None and last.status == AttemptStatus.VOID else ""


def log_so_far(submission: Submission) -> str:
    """What its build wrote; while the check is under way, the end of what it has written."""
    check = newest_check(submission)
    return submission.log or (check.log if check else "")


def qualification_games(submission: Submission) -> QuerySet[QualificationGame]:
    """The games of its newest check so far, in order, with their records. A void check has none."""
    check = newest_check(submission)
    return QualificationGame.objects.filter(check_run=check.pk if check else None).order_by("number")


def uploads_before(submission: Submission) -> int:
    """About how many uploads come before this one, which waits: those that have been due for longer; at most 1000."""
    before = Submission.objects.filter(status=SubmissionStatus.RECEIVED, due_at__lt=submission.due_at)
    return before.order_by()[:_COUNTED].count()


def checkers(submission: Submission, now: datetime) -> int:
    """How many workers are there that may check it: those without all walls only check what staff upload."""
    found = workers.online(now).filter(draining=False)
    return (found if submission.uploader.is_staff else found.filter(tier=FULL_TIER)).count()
