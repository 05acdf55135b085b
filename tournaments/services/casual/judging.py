"""One analysis under a lease (`services/shared/leases`): claimed, filled position by position, interrupted, ended."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from tournaments.models import Analysis, Game, Version
from tournaments.models.lifecycle import AnalysisStatus
from tournaments.services.shared import leases
from tournaments.services.shared.wakeups import Step, wake


class AnalysisLease(leases.Lease[Analysis]):
    """A worker's claim on an analysis, which is loaded with its game and its judges."""

    __slots__ = ()


def claim(*, analysis_id: int, worker: str, tier: str, now: datetime) -> AnalysisLease | None:
    """Claim a waiting analysis; return None if it is taken, over, not due, or not for this tier."""
    analysis = leases.claim(Analysis, analysis_id, tier=tier, now=now, facts={"worker": worker, "tier": tier})
    if analysis is None:
        return None
    analysis.game = Game.objects.defer("stderr0", "stderr1").get(pk=analysis.game_id)
    versions = Version.objects.select_related("bot").in_bulk([analysis.judge_id, analysis.other_id])
    analysis.judge, analysis.other = versions[analysis.judge_id], versions.get(analysis.other_id)
    return _lease(analysis)


def note(lease: AnalysisLease, verdicts: Sequence[Any], **_: datetime) -> bool:
    """Store the verdicts so far; return False if the attempt no longer holds the analysis."""
    return bool(leases.held(lease).update(verdicts=list(verdicts), judged=len(verdicts)))


def interrupt(lease: AnalysisLease, verdicts: Sequence[Any], now: datetime) -> bool:
    """Store the verdicts so far and let the analysis wait again, so that other work can go first."""
    with transaction.atomic():
        wake(Step.PUBLISH)
        return leases.release(leases.held(lease), due_at=now, verdicts=list(verdicts), judged=len(verdicts))


def finish(lease: AnalysisLease, verdicts: Sequence[Any], now: datetime) -> bool:
    """Store all verdicts and end the analysis; return False if it no longer counts."""
    with transaction.atomic():
        return leases.end(lease, AnalysisStatus.DONE, ended_at=now, setback="", verdicts=list(verdicts),
                          judged=len(verdicts))


def void(lease: AnalysisLease, reason: str, now: datetime, *, expired_by: datetime | None = None) -> bool:
    """Give up a claim that the infrastructure spoiled. The positions judged so far are kept; the rest is retried.

    With `expired_by`, only if the lease had expired by then. After the last try, the analysis is void.
    """
    held, voids = leases.held(lease, expired_by), lease.work.voids + 1
    with transaction.atomic():
        wake(Step.PUBLISH)
        if voids >= settings.MAX_ATTEMPTS:
            return bool(held.update(status=AnalysisStatus.VOID, lease_until=None, ended_at=now, setback=reason,
                                    voids=voids))
        return leases.release(held, due_at=now + leases.back_off(voids), setback=reason, voids=voids)


def reap(now: datetime) -> int:
    """Void the claims whose leases expired before `now`; return how many."""
    return leases.reap("reap analyses", Analysis, _lease, void, now)


def _lease(analysis: Analysis) -> AnalysisLease:
    return AnalysisLease(analysis, analysis.attempt, analysis.worker, analysis.lease_until)
