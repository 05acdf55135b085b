"""Clock for taking and reaping leases, shared by all machines of the site and independent of their own clocks."""

import time
from datetime import datetime, timedelta
from typing import Final

from django.db import connection
from django.utils import timezone

_FRESH_SECONDS: Final = 1.0

# Monotonic time of this process's last query for the time, and the database's answer.
_asked: tuple[float, datetime] | None = None


def shared_now() -> datetime:
    """Return the database's time, read at most once per second; with SQLite, the time of the only machine.

    Without it, a worker whose clock is an hour slow would take leases that have already expired. Raises DatabaseError
    and InterfaceError, like any query.
    """
    global _asked  # noqa: PLW0603 - a process has one clock
    if connection.vendor != "postgresql":
        return timezone.now()
    moment = time.monotonic()
    if _asked is None or moment - _asked[0] >= _FRESH_SECONDS:
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            _asked = moment, cursor.fetchone()[0]
    return _asked[1] + timedelta(seconds=moment - _asked[0])
