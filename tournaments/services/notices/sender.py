"""Sender of notices: a few threads alongside the coordinator's loop that send what is in the outbox.

A slow receiver occupies one of them, never the coordinator.
"""

import threading
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Final

from django.db import DatabaseError, InterfaceError, close_old_connections, connection
from django.utils import timezone

from tournaments.models import Delivery
from tournaments.platform.outage import Outage
from tournaments.services.notices import deliveries
from tournaments.services.shared.failures import each, run_steps

THREADS: Final = 4
PAUSE_SECONDS: Final = 1.0
BATCH: Final = 20
STEP: Final = "send notices"


class NoticeSender:
    """Threads that send until `stop` is set; `join` waits for the deliveries in progress."""

    def __init__(self, stop: threading.Event, *, clock: Callable[[], datetime] = timezone.now) -> None:
        database = Outage("the database")
        self._threads = [threading.Thread(target=_run, args=(stop, clock, database), daemon=True,
                                          name=f"notice sender {number}") for number in range(1, THREADS + 1)]

    def start(self) -> None:
        """Start to send."""
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Wait until the threads have ended, after `stop` was set."""
        for thread in self._threads:
            thread.join()


def round_of(stop: threading.Event, clock: Callable[[], datetime]) -> int:
    """Send due notices that no other sender has claimed, up to a batch; return how many were tried."""
    now = clock()
    return each(STEP, deliveries.due(now)[:BATCH], partial(_send, stop, clock), now=now)


def _send(stop: threading.Event, clock: Callable[[], datetime], delivery: Delivery) -> bool:
    if stop.is_set() or not deliveries.claim(delivery, clock()):
        return False
    try:
        deliveries.send(delivery, clock())
    except (DatabaseError, InterfaceError):
        raise
    except Exception as error:
        # A notice that our own code cannot send must not be retried forever.
        deliveries.fail(delivery, f"The service itself failed: {type(error).__name__}.", clock())
        raise
    return True


def _run(stop: threading.Event, clock: Callable[[], datetime], database: Outage) -> None:
    try:
        while not stop.is_set():
            close_old_connections()
            try:
                tried = run_steps([(STEP, lambda _: round_of(stop, clock))], clock())[STEP]
                database.over()
            except (DatabaseError, InterfaceError) as error:
                database.met(error, "notices wait")
                tried = 0
            if not tried:
                stop.wait(PAUSE_SECONDS)
    finally:
        connection.close()
