"""Reads about uploads: which ones a user may see, and how far their checks are."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Prefetch, QuerySet

from tournaments.models import Check, QualificationGame, Submission
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import AttemptStatus, SubmissionStatus
from tournaments.operations import workers

# The length of a longer queue does not matter.
_COUNTED = 1000


def submissions_for(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Submission]:
    """Return the uploads that this user may see, newest first: staff all of them, authors their own, others none."""
    rows = Submission.objects.select_related("uploader", "version__bot").prefetch_related(
        Prefetch("checks", Check.objects.order_by("number")))
    if user.is_authenticated and user.is_staff:
        return rows
    return rows.filter(uploader=user.pk)


def newest_check(submission: Submission) -> Check | None:
    """Return the check that judged the submission, is running, or was tried last."""
    return next(reversed(submission.checks.all()), None)


def setback(submission: Submission) -> str:
    """Return why its last check is repeated, if the infrastructure spoiled it; else ""."""
    last = newest_check(submission)
    return last.reason if last is not None and last.status == AttemptStatus.VOID else ""


def log_so_far(submission: Submission) -> str:
    """Return the output of its build; while the check is running, the end of the output so far."""
    check = newest_check(submission)
    return submission.log or (check.log if check else "")


def qualification_games(submission: Submission) -> QuerySet[QualificationGame]:
    """Return the games of its newest check so far, in order, with their records. A void check has no games."""
    check = newest_check(submission)
    return QualificationGame.objects.filter(check_run=check.pk if check else None).order_by("number")


def uploads_before(submission: Submission) -> int:
    """Return about how many uploads have been due for longer than this waiting one; at most 1000."""
    before = Submission.objects.filter(status=SubmissionStatus.RECEIVED, due_at__lt=submission.due_at)
    return before.order_by()[:_COUNTED].count()


def checkers(submission: Submission, now: datetime) -> int:
    """Return how many workers may check it: workers without full isolation check only what staff upload."""
    found = workers.online(now).filter(draining=False)
    return (found if submission.uploader.is_staff else found.filter(tier=FULL_TIER)).count()
