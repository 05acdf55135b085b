"""The place for a worker's second connection to the database: its processes and threads take turns at it.

The main process keeps the first one for matches. Heartbeats, renewals, checks and answers are rarer, so each opens a
connection and closes it.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import TypeVar

from django.db import DatabaseError, InterfaceError, connection

from tournaments.platform.clock import shared_now

Answer = TypeVar("Answer")

# A file in memory, which the processes of this worker inherit and lock.
_files: list[int] = []


def limit() -> None:
    """Let this process and those that it forks take turns from now on."""
    _files[:] = [os.memfd_create("squarefield-place")]


@contextmanager
def borrowed() -> Iterator[None]:
    """Wait for the place; close this thread's connection, and leave the place, at the end. Also a decorator.

    Without `limit`, as in a test, the connection stays open.
    """
    if not _files:
        yield
        return
    # Opened again, because a lock belongs to an opened file, which threads and forked processes share. If the process
    # dies, its lock is gone.
    descriptor = os.open(f"/proc/self/fd/{_files[0]}", os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        with suppress(DatabaseError, InterfaceError):
            connection.close()
        # Not only closed: a child that the pool forked in the meantime shares the opened file, and would keep the lock.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def borrowing_now(act: Callable[..., Answer]) -> Callable[..., Answer]:
    """Return this verb with the place borrowed at each call, and without its argument `now`: the shared time."""
    return borrowed()(wraps(act)(lambda *args, **options: act(*args, now=shared_now(), **options)))
