"""Locks that last until the transaction ends: on an account or event, or where no single row can serve as the lock."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import QuerySet

from tournaments.models import Event


class Lock(IntEnum):
    """Things to lock. On PostgreSQL, the value is the first half of the advisory lock's key."""

    UPLOADS = 0x5F01
    LADDER = 0x5F02
    SLUGS = 0x5F03
    OPENINGS = 0x5F04
    TEAMS = 0x5F05
    QUESTIONS = 0x5F06
    FILES = 0x5F07


@contextmanager
def holding_account(user: Any) -> Iterator[None]:
    """Open a transaction that locks the account: of two at once, the second sees the changes of the first.

    Rows that only refer to the account can be written in the meantime.
    """
    with transaction.atomic():
        get_user_model().objects.select_for_update(no_key=True).get(pk=user.pk)
        yield


def lock_event(event: Event) -> Event:
    """Return the event's current row, locked until the transaction ends."""
    return (Event.objects.select_for_update(of=("self",), no_key=True).select_related("ladder", "created_by")
            .get(pk=event.pk))


def unlocked(rows: QuerySet[Any]) -> list[int]:
    """Return the IDs of those of the rows that no other transaction holds, in their order.

    For sweeps over rows of others, which must not wait for one whose process is frozen. Within a transaction, the rows
    stay locked until it ends.
    """
    with transaction.atomic():
        return list(rows.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True))


@contextmanager
def holding(lock: Lock, key: int = 0) -> Iterator[None]:
    """Open a transaction that holds the lock from its beginning."""
    with transaction.atomic():
        hold(lock, key)
        yield


def hold(lock: Lock, key: int = 0) -> None:
    """Wait for the lock and hold it until the transaction ends. Call it first in `transaction.atomic()`.

    The wait ends after `lock_timeout` (`platform/database.py`), as that for a row: OperationalError.

    SQLite needs no lock: its transactions begin IMMEDIATE, so there is only one writer at a time.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        # Two 32-bit halves. Two ladders whose IDs are 2**31 apart would only wait for each other.
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [int(lock), key % 2**31])
