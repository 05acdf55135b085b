"""Leases on matches, submissions, questions and analyses: claimed, renewed, ended, reaped (docs/decisions/0028).

A claim increments the row's attempt number. Only the holder of the newest number may write; all earlier holders are
fenced off. Each domain's own module defines which claims are refused, what a void attempt leads to, and what is written
at the end.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial, reduce
from operator import or_
from typing import Any, Final, Generic, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from tournaments.models.leased import FULL_TIER, Leased, Run
from tournaments.models.lifecycle import AttemptStatus
from tournaments.services.shared import statements
from tournaments.services.shared.failures import each
from tournaments.services.shared.locks import unlocked
from tournaments.services.shared.wakeups import REAPING, wake

log = logging.getLogger(__name__)
REAPED_AT_ONCE: Final = 100

Row = TypeVar("Row", bound=Leased)
Held = TypeVar("Held", bound="Lease[Any]")


class LeaseLost(Exception):
    """The attempt no longer holds its row: its lease expired and was reaped, or the result is no longer needed."""


@dataclass(frozen=True, slots=True)
class Lease(Generic[Row]):
    """A worker's claim on a row, identified by the attempt `number` and valid until `until`."""

    work: Row
    number: int
    worker: str
    until: datetime


def lease_duration() -> timedelta:
    """Return how long a claim holds without renewal."""
    return timedelta(seconds=settings.LEASE_SECONDS)


# --- one attempt -----------------------------------------------------------------------------


def claim(model: type[Row], pk: int, *, tier: str, now: datetime, only: dict[str, Any] | None = None,
          facts: dict[str, Any] | None = None) -> Row | None:
    """Claim a waiting row that is due, for its next attempt; return None if it is not available.

    For a worker of a lower tier, the row must also be trusted. `only` maps columns to the values that they must have,
    `facts` to the values that they get.
    """
    if tier != FULL_TIER and not model.objects.filter(model.TRUSTED, pk=pk).exists():
        return None
    return statements.take(model, pk, now + lease_duration(), now, only=only or {}, facts=facts or {})


def renew(model: type[Row], attempts: Mapping[int, int], now: datetime) -> set[int]:
    """Extend leases to their full duration from now, by one statement; return the IDs of the rows that are lost.

    `attempts` are the numbers of the attempts that hold the rows, by the rows' IDs.
    """
    rows = _held_by(model, attempts)
    if rows.update(lease_until=now + lease_duration()) == len(attempts):
        return set()
    return attempts.keys() - set(rows.values_list("pk", flat=True))


def run_out(model: type[Row], attempts: Mapping[int, int], now: datetime) -> None:
    """End the leases of processes that have died, so that their rows are reaped at once. Arguments as for `renew`."""
    if _held_by(model, attempts).update(lease_until=now):
        wake(*REAPING)


def end(lease: Lease[Any], status: str, **facts: Any) -> bool:
    """Set the row's final status and these facts; return False if the attempt no longer counts."""
    return statements.change(type(lease.work), {"status": status, "lease_until": None, **facts}, id=lease.work.pk,
                             status=lease.work.TAKEN, attempt=lease.number) > 0


def end_run(run: Run, status: AttemptStatus, now: datetime, reason: str = "", **facts: Any) -> bool:
    """Record that the attempt counts, or why it is void; return False if it was already judged."""
    return statements.change(type(run), {"status": status, "reason": reason, "ended_at": now, **facts}, id=run.pk,
                             status=AttemptStatus.RUNNING) > 0


def held(lease: Lease[Row], expired_by: datetime | None = None) -> QuerySet[Row]:
    """Return a queryset of the row if the lease still holds it: the fence.

    With `expired_by`, it contains the row only if the lease had expired by that time.
    """
    row = lease.work
    rows = type(row).objects.filter(pk=row.pk, status=row.TAKEN, attempt=lease.number)
    return rows if expired_by is None else rows.filter(lease_until__lt=expired_by)


def release(rows: QuerySet[Any], *, due_at: datetime, **facts: Any) -> bool:
    """Let a held row wait again, to be claimed from `due_at` on; return False if it was not held."""
    return bool(rows.update(**{"status": rows.model.WAITING, "lease_until": None, "published_at": None,
                               "due_at": due_at, **facts}))


def _held_by(model: type[Row], attempts: Mapping[int, int]) -> QuerySet[Row]:
    # By number, since nearly all are first attempts: a condition per row would take seconds for 500 of them.
    by_number: dict[int, list[int]] = {}
    for pk, number in attempts.items():
        by_number.setdefault(number, []).append(pk)
    mine = reduce(or_, (Q(attempt=number, pk__in=pks) for number, pks in by_number.items()))
    return model.objects.filter(mine, status=model.TAKEN)


def back_off(tries: int) -> timedelta:
    """Return the wait after this many void tries: REPUBLISH_SECONDS, doubled each time."""
    return timedelta(seconds=settings.REPUBLISH_SECONDS) * 2 ** min(tries - 1, 16)


# --- the coordinator -------------------------------------------------------------------------


def reap(step: str, model: type[Row], lease_of: Callable[[Row], Held], void: Callable[..., bool],
         now: datetime) -> int:
    """Void the attempts whose leases expired before `now`; return how many.

    This is the only way for a row to become claimable after its worker has vanished. `lease_of` returns the claim under
    which a row is held; `void` is called with that claim, the reason, the time and `expired_by`.
    """
    lost = model.objects.filter(status=model.TAKEN, lease_until__lt=now).order_by("lease_until")
    act = partial(_reap, model, lease_of, void, now)
    return each(step, unlocked(lost), act, now=now, most=REAPED_AT_ONCE)


def _reap(model: type[Row], lease_of: Callable[[Row], Held], void: Callable[..., bool], now: datetime, pk: int) -> bool:
    lease = lease_of(model.objects.get(pk=pk))
    reason = f"the lease of {lease.worker} ran out"
    done = void(lease, reason, now, expired_by=now)
    if done:
        log.warning("%s %d: %s (attempt %d)", model._meta.verbose_name, pk, reason, lease.number)  # noqa: SLF001
    return done


def lost_before(now: datetime) -> datetime:
    """Return the time before which an ID that was published but not claimed may be lost."""
    return now - timedelta(seconds=settings.REPUBLISH_SECONDS)


def to_publish(model: type[Row], now: datetime, lost: datetime | None = None) -> QuerySet[Row]:
    """Return the due rows whose ID is not queued: never published, or before `lost`. The longest due come first."""
    unpublished = Q(published_at=None) | Q(published_at__lt=lost or lost_before(now))
    due = Q(due_at=None) | Q(due_at__lte=now)
    return model.objects.filter(unpublished, due, status=model.WAITING).order_by(
        F("due_at").asc(nulls_first=True), "pk")


def trusted(rows: QuerySet[Row]) -> QuerySet[Row]:
    """Return those of the rows that a worker of any tier may claim."""
    # Not by a join, because `mark_published` would lock the joined rows too.
    model = rows.model
    return rows.filter(Exists(model.objects.filter(model.TRUSTED, pk=OuterRef("pk"))))


def mark_published(rows: QuerySet[Any], now: datetime, room: int | None = None) -> list[int]:
    """Mark the first `room` of the rows as published; return their IDs, to publish after commit.

    Rows that another coordinator is marking at the same time are skipped, not waited for.
    """
    with transaction.atomic():
        free = rows.select_for_update(skip_locked=True).values_list("pk", flat=True)
        mine = list(free[:room and max(0, room)])
        rows.model.objects.filter(pk__in=mine).update(published_at=now)
    return mine
