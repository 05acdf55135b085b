"""Keeps a lease alive while its match is played, or its submission checked.

A thread, because a bot may think for longer than a lease lasts. It sleeps for a third of the lease between renewals,
so that a short match costs it nothing, not even a database connection.
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
    """Renews a lease from entry to exit of the context, which raises LeaseLost when it was lost in between.

    `renew` is given the time and raises LeaseLost; `what` names what is leased.
    """

    def __init__(self, renew: Callable[[datetime], object], what: str) -> None:
        self._renew = renew
        self._what = what
        self._over = threading.Event()
        self._bots: list[int] = []
        self._lost: LeaseLost | None = None
        # What is said of the match in the log, its thread says too.
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
        """Kill this process, a bot's, as soon as the lease is lost: nobody wants its next turn."""
        # By a descriptor: by the time of the loss the number may be another process's.
        self._bots.append(os.pidfd_open(pid))
        if self._lost is not None:
            self._kill_bots()

    def check(self, *_: object) -> None:
        """Raise LeaseLost when a renewal found the lease gone; takes whatever a referee's callback is given."""
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
            # Away for a moment, perhaps: the lease has two more thirds to run, and the fence decides in the end.
            log.warning("%s: the lease could not be renewed: %s", self._what, error)
            connection.close()
