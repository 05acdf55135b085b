"""Silence: a worker that has work (matches, checks …) and sends no more heartbeats (docs/decisions/0050).

Its leases end at once, so that other workers repeat its work; without this, they would wait until each lease runs out.
A heartbeat that is overdue is first marked, and the leases end only if the next one is missing too. So nothing is
repeated after an outage of the database, during which no worker could send any.
"""

import logging
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet

from tournaments.models import Analysis, Match, Question, Submission, Worker
from tournaments.services.shared.failures import each
from tournaments.services.shared.locks import unlocked
from tournaments.services.shared.wakeups import REAPING, Step, wake

log = logging.getLogger(__name__)


class StillLocked(Exception):
    """Transactions hold rows of a silent worker, so its leases on them end at a later try."""


# Time for a heartbeat to arrive late, beyond the interval between two.
_ALLOWANCE: Final = timedelta(seconds=1)


def last_call() -> timedelta:
    """Return how long a coordinator waits for a heartbeat that it has found overdue."""
    return timedelta(seconds=settings.SILENCE_SECONDS) / 3 + _ALLOWANCE


def end_leases_of_silent_workers(now: datetime) -> int:
    """Mark the heartbeats that are overdue, and end the leases of the workers that have stayed silent since then.

    Return the number of these workers.
    """
    late = Worker.objects.filter(stopped_at=None, beat_by__lt=now)
    Worker.objects.filter(pk__in=unlocked(late.filter(overdue_since=None)), beat_by__lt=now).update(overdue_since=now)
    silent = late.filter(overdue_since__lte=now - last_call())
    return each(Step.MISS_HEARTBEATS, silent, _end_leases, now=now)


def _end_leases(worker: Worker) -> bool:
    with transaction.atomic():
        # Unless a heartbeat has just arrived, or another coordinator has done it.
        same = Worker.objects.filter(pk=worker.pk, beat_by=worker.beat_by, overdue_since=worker.overdue_since)
        if not unlocked(same):
            return False
        # A worker that is frozen may hold rows, until the database ends its transaction.
        ended = locked = 0
        for rows in _held_by(worker.name):
            held = set(rows.values_list("pk", flat=True))
            free = unlocked(rows.model.objects.filter(pk__in=held))
            ended += rows.model.objects.filter(pk__in=free, status=rows.model.TAKEN).update(lease_until=worker.beat_by)
            locked += len(held) - len(free)
        if not locked:
            same.update(beat_by=None, overdue_since=None)
        wake(*REAPING)
    log.warning("worker %s: no heartbeat since %s; %d leases ended", worker.name, worker.seen_at, ended)
    if locked:
        raise StillLocked(f"{locked} rows of worker {worker.name} are locked: is one of its processes frozen?")
    return True


def _held_by(name: str) -> tuple["QuerySet[Match]", "QuerySet[Submission]", "QuerySet[Question]", "QuerySet[Analysis]"]:
    """Return the rows whose newest attempts belong to processes of the worker."""
    mine = f"{name}:"
    return (Match.objects.filter(status=Match.TAKEN, attempts__number=F("attempt"), attempts__worker__startswith=mine),
            Submission.objects.filter(status=Submission.TAKEN, checks__number=F("attempt"),
                                      checks__worker__startswith=mine),
            Question.objects.filter(status=Question.TAKEN, worker__startswith=mine),
            Analysis.objects.filter(status=Analysis.TAKEN, worker__startswith=mine))
