"""Presence of a worker: its main process declares it, sends heartbeats, and learns whether to drain."""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from tournaments.operations.workers import online
from tournaments.platform import watchdog
from tournaments.platform.clock import shared_now
from tournaments.platform.outage import Outage
from tournaments.services.matches.workers import Declaration, beat, declare, stop
from tournaments.worker.database.lease_keeper import lease_keeper
from tournaments.worker.database.place import borrowed

log = logging.getLogger(__name__)

# Rate at which workers begin to take matches when all of them reconnect at the same time.
WORKERS_PER_SECOND: Final = 20
# Maximum wait of a worker, regardless of the number of workers.
LONGEST_SPREAD_SECONDS: Final = 10.0


class Presence:
    """Record of the worker in the database, from `start` to `stop`. `draining` is the state read from there.

    It runs in a thread, because the main process waits for Redis. It closes its connection after every heartbeat: the
    main process forks, and its children must not inherit a connection. While children have leases, it sends heartbeats
    more often, so that their work is soon repeated elsewhere if this worker dies.
    """

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.draining = False
        self._workers = 1
        self._over = False
        # Set when something must be said before the next heartbeat is due.
        self._news = threading.Event()
        # Whether children have had leases since the last heartbeat, and whether that one promised the next one soon.
        self._worked = self._promised = False
        self._database = Outage("the database")
        self._thread = threading.Thread(target=self._run, name="presence", daemon=True)

    def start(self) -> None:
        """Declare the worker, then keep sending heartbeats. Raises DatabaseError if the database is unavailable."""
        try:
            with borrowed():
                declare(self.declaration, now=shared_now())
                self._workers = online(shared_now()).count()
        finally:
            connection.close()
        lease_keeper().on_work = self._work
        self._thread.start()

    def leave(self, *_: object, **__: object) -> None:
        """Announce that the worker stops, without waiting for the database. Takes a signal's arguments."""
        self._over = True
        self._news.set()

    def stop(self) -> None:
        """Leave, and wait until the stop has been recorded."""
        self.leave()
        self._thread.join()

    @property
    def spread_seconds(self) -> float:
        """Time in seconds over which workers that reconnect together begin to take matches."""
        return min(LONGEST_SPREAD_SECONDS, self._workers / WORKERS_PER_SECOND)

    def _run(self) -> None:
        while not self._over:
            self._news.wait((settings.SILENCE_SECONDS if self._promised else settings.WORKER_SEEN_SECONDS) / 3)
            self._news.clear()
            if not self._over:
                self._try(self._beat, "heartbeats of this worker are not recorded")
        self._try(self._stop, "the stop of this worker is not recorded")

    def _work(self) -> None:
        self._worked = True
        if not self._promised:
            self._news.set()

    def _try(self, say: Callable[[], None], consequence: str) -> None:
        try:
            with watchdog.watched("the heartbeat of this worker"), borrowed():
                say()
            self._database.over()
        except (DatabaseError, InterfaceError) as error:
            self._database.met(error, consequence)
        finally:
            with suppress(DatabaseError, InterfaceError):
                connection.close()

    def _beat(self) -> None:
        worked, self._worked = self._worked, False
        self._promised = worked or lease_keeper().at_work
        draining, self._workers = beat(self.declaration, load=os.getloadavg()[0], at_work=self._promised,
                                       now=shared_now())
        if draining != self.draining:
            log.warning("%s", "draining started: current work is finished, no more is taken" if draining
                        else "draining ended: matches are taken again")
        self.draining = bool(draining)

    def _stop(self) -> None:
        stop(self.declaration.name, now=shared_now())
