"""Heartbeats that keep a lease alive while its match is played or its submission checked.

They run in a thread, because a bot may think for longer than a lease lasts. It renews the lease after each third of its
duration, so a short match costs nothing, not even a database connection.
"""

import contextvars
import logging
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from tournaments.platform.clock import shared_now
from tournaments.services.shared.leases import LeaseLost

log = logging.getLogger(__name__)


class Heartbeat:
    """Context that renews a lease until it ends, and then raises LeaseLost if the lease was lost in the meantime.

    `renew` is called with the time and raises LeaseLost; `what` names the leased work.
    """

    def __init__(self, renew: Callable[[datetime], object], what: str) -> None:
        self._renew = renew
        self._what = what
        self._over = threading.Event()
        self._bots: list[int] = []
        self._lost: LeaseLost | None = None
        # The thread logs with the same context as the match.
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._run,), name=f"heartbeat of {what}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        for bot in self._bots:
            os.close(bot)
        self.check()

    def kill_when_lost(self, pid: int) -> None:
        """Kill this process of a bot as soon as the lease is lost, because its next turn no longer counts."""
        # By descriptor, because another process may have this ID by then.
        self._bots.append(os.pidfd_open(pid))
        if self._lost is not None:
            self._kill_bots()

    def check(self, *_: object) -> None:
        """Raise LeaseLost if a renewal found the lease lost. Takes any arguments of a referee's callback."""
        if self._lost is not None:
            raise self._lost

    def _run(self) -> None:
        try:
            while not self._over.wait(settings.LEASE_SECONDS / 3):
                self._beat()
        except LeaseLost as lost:
            self._lost = lost
            self._kill_bots()
        finally:
            connection.close()

    def _kill_bots(self) -> None:
        for bot in list(self._bots):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(bot, signal.SIGKILL)

    def _beat(self) -> None:
        try:
            self._renew(shared_now())
        except (DatabaseError, InterfaceError) as error:
            # The outage may be short: two thirds of the lease are left, and the fencing token protects the result.
            log.warning("%s: lease renewal failed: %s", self._what, error)
            connection.close()
