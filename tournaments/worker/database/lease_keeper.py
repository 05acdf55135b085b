"""The keeper of a worker's leases: one thread of its main process, which renews all of them with one statement.

A child that has a lease holds a line to the keeper until its work ends. It sends a sign of life over it, and says when
it is done: a child that is frozen keeps no lease, and the lease of one that dies ends at once. If a renewal finds a
lease lost, the keeper says so.
"""

import json
import logging
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from tournaments.models.leased import Leased
from tournaments.platform.clock import shared_now
from tournaments.platform.outage import Outage
from tournaments.services.shared.leases import Lease, renew, run_out
from tournaments.worker.database.lines import Line, LineServer
from tournaments.worker.database.place import borrowed

log = logging.getLogger(__name__)

ALIVE: Final = b"a"
DONE: Final = b"d"
LOST: Final = b"l"


class LeaseKeeper(LineServer):
    """Renews the leases of this process and of those that it forks, from `start` on.

    A line's greeting names the row and the attempt for which it is held.
    """

    name = "lease keeper"

    def __init__(self) -> None:
        super().__init__()
        # The monotonic time of the last sign of life on each line.
        self._heard: dict[Line, float] = {}
        self._renewed_at = time.monotonic()
        # The greetings of lines that ended before the work did.
        self._dead: list[Any] = []
        self._database = Outage("the database")
        self.on_work: Callable[[], None] = lambda: None

    @property
    def at_work(self) -> bool:
        """Whether a child has a lease."""
        return bool(self._heard)

    def hold(self, lease: Lease[Any]) -> socket.socket:
        """Return a line for this lease, which is renewed until the line is closed. Any forked process may call this."""
        return self.open(json.dumps([lease.work._meta.label, lease.work.pk, lease.number]).encode())  # noqa: SLF001

    def opened(self, line: Line) -> None:
        self._heard[line] = time.monotonic()
        self.on_work()

    def heard(self, line: Line) -> None:
        if DONE in line.received:
            self._heard.pop(line, None)
        elif line in self._heard:
            self._heard[line] = time.monotonic()
        line.received.clear()

    def ended(self, line: Line) -> None:
        if self._heard.pop(line, None) is not None:
            self._dead.append(line.greeting)

    def pause(self) -> float | None:
        """Return the seconds until a lease must be renewed or ended; None without leases."""
        if self._dead:
            return 0.0
        due = self._renewed_at + settings.LEASE_SECONDS / 3 - time.monotonic()
        return max(0.0, due) if self._heard else None

    def act(self) -> None:
        """End the leases of the children that have died, and renew those of the others if it is time."""
        dead, self._dead = self._dead, []
        due = self._renewed_at + settings.LEASE_SECONDS / 3 <= time.monotonic()
        try:
            with borrowed():
                for model, attempts in _by_model(dead).items():
                    run_out(model, attempts, shared_now())
                if due:
                    self._renew()
            self._database.over()
        except (DatabaseError, InterfaceError) as error:
            # The outage may be short: two thirds of the leases are left, and the fencing token protects the results.
            # A lease that was to end runs out later.
            self._database.met(error, "leases are not renewed")
        finally:
            connection.close()

    def _renew(self) -> None:
        self._renewed_at = time.monotonic()
        alive = {(apps.get_model(line.greeting[0]), line.greeting[1]): line for line, heard_at in self._heard.items()
                 if heard_at >= self._renewed_at - settings.LEASE_SECONDS / 3}
        for model, attempts in _by_model(line.greeting for line in alive.values()).items():
            for pk in renew(model, attempts, shared_now()):
                self._tell(alive[model, pk])

    def _tell(self, line: Line) -> None:
        """Say that the lease is lost. The child ends the line: closed here, a late sign of life would erase this."""
        del self._heard[line]
        try:
            line.end.send(LOST)
        except OSError:
            log.debug("the child of a lost lease has ended")


def _by_model(greetings: Iterable[Any]) -> Mapping[type[Leased], Mapping[int, int]]:
    """Return the numbers of the attempts by the rows' IDs, for each model."""
    found: defaultdict[type[Leased], dict[int, int]] = defaultdict(dict)
    for label, pk, number in greetings:
        found[apps.get_model(label)][pk] = number
    return found


@cache
def lease_keeper() -> LeaseKeeper:
    """Return the keeper of this process, or of the one that forked it. The first call starts it."""
    keeper = LeaseKeeper()
    keeper.start()
    return keeper
