"""Sender of notices: a few threads alongside the coordinator's loop that send what is in the outbox.

A slow receiver occupies one of them, never the coordinator, which wakes them when notices are due.
"""

import threading
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Final

from django.db import DatabaseError, InterfaceError, close_old_connections, connection
from django.utils import timezone

from tournaments.models import Delivery
from tournaments.platform import watchdog
from tournaments.platform.outage import Outage
from tournaments.services.notices import deliveries
from tournaments.services.shared.failures import each, run_steps
from tournaments.services.shared.wakeups import Step

THREADS: Final = 4
PAUSE_SECONDS: Final = 1.0
BATCH: Final = 20
STEP: Final = Step.SEND_NOTICES


class NoticeSender:
    """Threads that send, when `look` has found due notices, until `stop` is set.

    `join` waits for the deliveries in progress.
    """

    def __init__(self, stop: threading.Event, *, clock: Callable[[], datetime] = timezone.now) -> None:
        self._stop, self._clock, self._database = stop, clock, Outage("the database")
        self._changed, self._wakes = threading.Condition(), 0
        self._threads = [threading.Thread(target=self._run, daemon=True, name=f"notice sender {number}")
                         for number in range(1, THREADS + 1)]

    def start(self) -> None:
        """Start to send."""
        for thread in self._threads:
            thread.start()

    def look(self, now: datetime) -> int:
        """Let the threads send if notices are due; return whether that is so. They have no connection until then."""
        due = deliveries.due(now).exists()
        if due:
            self._wake()
        return int(due)

    def _wake(self) -> None:
        with self._changed:
            self._wakes += 1
            self._changed.notify_all()

    def join(self) -> None:
        """Wait until the threads have ended, after `stop` was set."""
        self._wake()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        seen, name = 0, threading.current_thread().name
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda seen=seen: self._wakes != seen)
                    seen = self._wakes
                with watchdog.watched(name):
                    self._send_all()
                connection.close()
                if self._stop.is_set():
                    return
        finally:
            connection.close()

    def _send_all(self) -> None:
        """Send until nothing is due. Retry while the database is unreachable."""
        tried = 1
        while tried and not self._stop.is_set():
            close_old_connections()
            try:
                tried = run_steps([(STEP, lambda _: round_of(self._stop, self._clock))], self._clock())[STEP]
                self._database.over()
            except (DatabaseError, InterfaceError) as error:
                self._database.met(error, "notices wait")
                self._stop.wait(PAUSE_SECONDS)


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
