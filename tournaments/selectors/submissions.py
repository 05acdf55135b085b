"""Reads about uploads: whose they are, and how far their checks have come."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Prefetch, QuerySet

from tournaments.lifecycle import AttemptStatus
from tournaments.models import Check, Submission


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
