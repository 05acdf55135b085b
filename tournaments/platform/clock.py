"""The time by which leases are taken and reaped: one for all machines of the site, whatever their own clocks say."""

import time
from datetime import datetime, timedelta
from typing import Final

from django.db import connection
from django.utils import timezone

_FRESH_SECONDS: Final = 1.0

# When the database was asked, by this process's stop-watch, and what it said.
_asked: tuple[float, datetime] | None = None


def shared_now() -> datetime:
    """The database's time, for which it is asked once a second at most; with SQLite this machine's, as all are on it.

    A worker whose clock is an hour slow would otherwise take leases that have run out already. Raises DatabaseError
    and InterfaceError, as any query does.
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
