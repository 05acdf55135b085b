"""The reaper: the only authority that lets a match be played again after its worker vanished."""

import logging
from datetime import datetime

from django.db import transaction

from tournaments.lifecycle import AttemptStatus, MatchStatus
from tournaments.models import Attempt
from tournaments.services.matches import void_attempt

log = logging.getLogger(__name__)
_AT_ONCE = 100


def reap(now: datetime) -> int:
    """Void the attempts whose leases have run out by `now`, and queue their matches again; returns how many."""
    lost = (Attempt.objects.select_related("match__round")
            .filter(status=AttemptStatus.RUNNING, match__status=MatchStatus.RUNNING, match__lease_until__lt=now)
            .order_by("match__lease_until"))
    reaped = 0
    for attempt in lost[:_AT_ONCE]:
        if attempt.number != attempt.match.attempt:
            continue
        with transaction.atomic():
            done = void_attempt(attempt, f"the lease of {attempt.worker} ran out", now, expired_by=now)
        if done:
            reaped += 1
            log.warning("match %d: the lease of %s ran out (attempt %d)", attempt.match_id, attempt.worker,
                        attempt.number)
    return reaped
