"""A worker's presence: its main process declares it, says that it lives, and hears whether it is to drain."""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from tournaments.operations.workers import online
from tournaments.platform.clock import shared_now
from tournaments.platform.outage import Outage
from tournaments.services.matches.workers import Declaration, beat, declare, stop

log = logging.getLogger(__name__)

# So many workers a second begin to take matches when all of them come back at the same time …
WORKERS_PER_SECOND: Final = 20
# … but none waits for longer.
LONGEST_SPREAD_SECONDS: Final = 10.0


class Presence:
    """Says in the database that the worker is there, from `start` to `stop`. `draining` is what it is told there.

    A thread, since the main process waits for Redis. It closes its connection after every beat: the main process
    forks, and nothing of a connection must be in the children.
    """

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.draining = False
        self._workers = 1
        self._over = threading.Event()
        self._database = Outage("the database")
        self._thread = threading.Thread(target=self._run, name="presence", daemon=True)

    def start(self) -> None:
        """Declare the worker, then keep saying that it lives. Raises DatabaseError when there is no database."""
        try:
            declare(self.declaration, now=shared_now())
            self._count()
        finally:
            connection.close()
        self._thread.start()

    def leave(self, *_: object, **__: object) -> None:
        """Say at once that it takes no more matches; returns before that is said. Takes a signal's arguments."""
        self._over.set()

    def stop(self) -> None:
        """Leave, and wait until that is said."""
        self.leave()
        self._thread.join()

    @property
    def spread_seconds(self) -> float:
        """The time over which workers that all come back now begin to take matches."""
        return min(LONGEST_SPREAD_SECONDS, self._workers / WORKERS_PER_SECOND)

    def _run(self) -> None:
        while not self._over.wait(settings.WORKER_SEEN_SECONDS / 3):
            self._try(self._beat, "it is not told that this worker lives")
        self._try(self._stop, "it is not told that this worker stops")

    def _try(self, say: Callable[[], None], consequence: str) -> None:
        try:
            say()
            self._database.over()
        except (DatabaseError, InterfaceError) as error:
            self._database.met(error, consequence)
        finally:
            with suppress(DatabaseError, InterfaceError):
                connection.close()

    def _beat(self) -> None:
        draining = beat(self.declaration, load=os.getloadavg()[0], now=shared_now())
        if draining != self.draining:
            log.warning("%s", "draining: what runs is finished, nothing more is taken" if draining
                        else "drained enough: matches are taken again")
        self.draining = draining
        self._count()

    def _stop(self) -> None:
        stop(self.declaration.name, now=shared_now())

    def _count(self) -> None:
        self._workers = online(shared_now()).count()
