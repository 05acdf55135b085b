"""Heartbeat of a lease while its match is played or its submission checked: it lives as long as this process works.

The main process of the worker renews the lease (`lease_keeper`), so this process needs no connection to the database. A
thread gives the signs of life, because a bot may think for longer than a lease lasts.
"""

import os
import signal
import socket
import threading
from contextlib import suppress
from typing import Any, Self

from django.conf import settings

from tournaments.services.shared.leases import Lease, LeaseLost
from tournaments.worker.database.lease_keeper import ALIVE, DONE, LOST, lease_keeper


class Heartbeat:
    """Context that keeps a lease until it ends, and then raises LeaseLost if the lease was lost in the meantime."""

    def __init__(self, lease: Lease[Any], what: str) -> None:
        self._lease = lease
        self._bots: list[int] = []
        self._lost: LeaseLost | None = None
        self._thread = threading.Thread(target=self._run, name=f"heartbeat of {what}", daemon=True)

    def __enter__(self) -> Self:
        self._line = lease_keeper().hold(self._lease)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._line.send(DONE)
            self._line.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._line.close()
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
        self._line.settimeout(settings.LEASE_SECONDS / 6)
        with suppress(OSError):
            while (answer := self._ask()) is None:
                self._line.send(ALIVE)
            if answer == LOST:
                self._lost = LeaseLost(self._lease.work.LEASE_LOST)
                self._kill_bots()

    def _ask(self) -> bytes | None:
        """Return what the keeper says; nothing if the line has ended, None after a while."""
        try:
            return self._line.recv(1)
        except TimeoutError:
            return None

    def _kill_bots(self) -> None:
        for bot in list(self._bots):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(bot, signal.SIGKILL)
