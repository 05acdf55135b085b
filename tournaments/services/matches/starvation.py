"""Limit on how often a starved host excuses a version's losses on time, so that no bot can rely on it."""

from datetime import datetime

from django.conf import settings
from django.db import transaction

from tournaments.models import Attempt, StarvedVoid, Version
from tournaments.models.lifecycle import AttemptStatus
from tournaments.selectors.bots.starvation import of_last_day
from tournaments.services.matches.matches import MatchLease


def is_excusable(version: Version, now: datetime) -> bool:
    """Return whether a loss of this version can still be void because its host was starved."""
    return of_last_day(now).filter(version=version).count() < settings.STARVED_VOIDS_PER_DAY


def note(lease: MatchLease, version: Version, now: datetime) -> None:
    """Count an attempt that is about to be void because this version was starved, unless it was judged before."""
    with transaction.atomic():
        if Attempt.objects.select_for_update().filter(pk=lease.attempt.pk, status=AttemptStatus.RUNNING).exists():
            StarvedVoid.objects.get_or_create(attempt=lease.attempt, defaults={"version": version, "at": now})
