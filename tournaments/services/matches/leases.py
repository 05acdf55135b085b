"""The reaper: the only authority that lets a match be played again after its worker vanished."""

import logging
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import F

from tournaments.models import Attempt
from tournaments.models.lifecycle import AttemptStatus, MatchStatus
from tournaments.services.matches.matches import void_attempt
from tournaments.services.shared.failures import each

log = logging.getLogger(__name__)
_AT_ONCE = 100


def reap(now: datetime) -> int:
    """Void the attempts whose leases have run out by `now`, and queue their matches again; returns how many."""
    lost = (Attempt.objects.filter(status=AttemptStatus.RUNNING, match__status=MatchStatus.RUNNING,
                                   match__lease_until__lt=now, number=F("match__attempt"))
            .order_by("match__lease_until").values_list("pk", flat=True))
    return each("reap matches", lost, partial(_reap, now=now), now=now, most=_AT_ONCE)


def _reap(pk: int, *, now: datetime) -> bool:
    attempt = Attempt.objects.select_related("match__round").get(pk=pk)
    with transaction.atomic():
        done = void_attempt(attempt, f"the lease of {attempt.worker} ran out", now, expired_by=now)
    if done:
        log.warning("match %d: the lease of %s ran out (attempt %d)", attempt.match_id, attempt.worker, attempt.number)
    return done
