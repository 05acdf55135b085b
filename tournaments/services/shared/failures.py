"""Isolation of the coordinator's work: an error in one item stops neither the other items nor the other steps.

A failure is logged once, stored as a Failure for staff and metrics, and retried after 1 s, 2 s, 4 s … up to one minute.
A database outage is not attributed to an item: its errors propagate, and the whole coordinator waits. A step begins no
item after `STEP_SECONDS`, so that many slow items, such as those that wait for a lock, do not keep the other steps.
"""

import logging
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, Final

from django.db import InterfaceError, InternalError, OperationalError, connection, transaction
from django.db.models import F

from tournaments.models import FailedTries, Failure
from tournaments.services.shared import audit
from tournaments.services.shared.wakeups import Step, wake

log = logging.getLogger(__name__)
FIRST_WAIT: Final = timedelta(seconds=1)
LONGEST_WAIT: Final = timedelta(minutes=1)
# An item not tried for this long no longer needs the step, for example because its event was cancelled.
FORGOTTEN_AFTER: Final = timedelta(minutes=10)
WHOLE_STEP: Final = ""
STEP_SECONDS: Final = 10.0


class Tries:
    """One step's tries at `now`. Errors of the types in `outages` propagate, since no item causes them."""

    def __init__(self, step: str, now: datetime, *, outages: tuple[type[Exception], ...] = (),
                 failing: Iterable[Failure] | None = None) -> None:
        self._step, self._now, self._outages = step, now, outages
        rows = Failure.objects.filter(step=step) if failing is None else failing
        self._failing = {row.item: row for row in rows}

    def is_due(self, item: object) -> bool:
        """Return whether the item may be tried: it has no recorded failure, or its wait is over."""
        row = self._failing.get(_key(item))
        return row is None or row.due_at <= self._now

    def attempt(self, item: object, act: Callable[[], int]) -> int:
        """Call `act` and return its result; return 0 if it fails, or if the item must still wait."""
        if not self.is_due(item):
            return 0
        try:
            done = int(act())
        except self._outages:
            raise
        except Exception as error:
            if _is_outage(error):
                raise
            self._note(_key(item), error)
            return 0
        if (row := self._failing.pop(_key(item), None)) is not None:
            Failure.objects.filter(pk=row.pk).delete()
            log.warning("%s: succeeded after %d failed tries", row, row.tries)
        return done

    def _note(self, item: str, error: Exception) -> None:
        now, kind = self._now, type(error).__name__[:120]
        before = self._failing.get(item)
        tries = before.tries if before else 0
        wait = min(FIRST_WAIT * 2 ** min(tries, 16), LONGEST_WAIT)
        with transaction.atomic():
            row, new = Failure.objects.update_or_create(
                step=self._step, item=item,
                defaults={"error": kind, "tries": tries + 1, "last_at": now, "due_at": now + wait},
                create_defaults={"error": kind, "tries": 1, "first_at": now, "last_at": now, "due_at": now + wait})
            FailedTries.objects.get_or_create(step=self._step)
            FailedTries.objects.filter(step=self._step).update(number=F("number") + 1)
        self._failing[item] = row
        if new or (before is not None and before.error != kind):
            log.error("%s: failed; retry scheduled, other work continued", row, exc_info=error)


def each(step: str, items: Iterable[Any], act: Callable[[Any], int], *, now: datetime, most: int | None = None) -> int:
    """Call `act` for each item (a row or its ID) and return the sum of the results.

    With `most`, stop after that many items; items that are waiting for a retry do not count. After STEP_SECONDS, stop
    too, and make all steps due again.
    """
    listed = list(items)
    if not listed:
        return 0
    tries, ends_at, done = Tries(step, now), time.monotonic() + STEP_SECONDS, 0
    for item in islice(filter(tries.is_due, listed), most):
        if time.monotonic() > ends_at:
            log.warning("%s: more than %.0f s; the rest waits for the next pass", step, STEP_SECONDS)
            wake(*Step)
            break
        done += tries.attempt(item, partial(act, item))
    return done


def run_steps(steps: Iterable[tuple[str, Callable[[datetime], int]]], now: datetime) -> dict[str, int]:
    """Run the steps in order, each isolated like an item; return each step's result by its name."""
    failing = list(Failure.objects.all())
    if old := [row.pk for row in failing if row.last_at < now - FORGOTTEN_AFTER]:
        Failure.objects.filter(pk__in=old, last_at__lt=now - FORGOTTEN_AFTER).delete()
    return {name: Tries(name, now, failing=[row for row in failing if row.step == name])
            .attempt(WHOLE_STEP, partial(act, now)) for name, act in steps}


def retry_now(*, failure: Failure, actor: Any, now: datetime) -> Failure:
    """Make the item due at once, so that the coordinator's next step retries it."""
    with transaction.atomic():
        Failure.objects.filter(pk=failure.pk).update(due_at=now)
        audit.record(actor=actor, verb="retry", target=failure, now=now)
        # Some failures belong to a part of a step, whose name is another.
        wake(*Step)
    return failure


def _key(item: object) -> str:
    return str(getattr(item, "pk", item))


def _is_outage(error: Exception) -> bool:
    """Return whether the connection is lost. A deadlock or a query that takes too long is the item's own failure."""
    # An InternalError: this process was frozen, and the database has ended its transaction.
    return isinstance(error, OperationalError | InterfaceError | InternalError) and not connection.is_usable()
