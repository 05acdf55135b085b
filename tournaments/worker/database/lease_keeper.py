"""The keeper of a worker's leases: one thread of its main process, which renews all of them with one statement.

A child that has a lease holds a line to the keeper until its work ends. It sends a sign of life over it: a child that
is frozen or dead keeps no lease. If a renewal finds a lease lost, the keeper says so.
"""

import json
import logging
import socket
import time
from collections import defaultdict
from functools import cache
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from tournaments.models.leased import Leased
from tournaments.platform.clock import shared_now
from tournaments.platform.outage import Outage
from tournaments.services.shared.leases import Lease, renew
from tournaments.worker.database.lines import Line, LineServer
from tournaments.worker.database.place import borrowed

log = logging.getLogger(__name__)

ALIVE: Final = b"a"
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
        self._beaten_at = time.monotonic()
        self._database = Outage("the database")

    def hold(self, lease: Lease[Any]) -> socket.socket:
        """Return a line for this lease, which is renewed until the line is closed. Any forked process may call this."""
        return self.open(json.dumps([lease.work._meta.label, lease.work.pk, lease.number]).encode())  # noqa: SLF001

    def opened(self, line: Line) -> None:
        self._heard[line] = time.monotonic()

    def heard(self, line: Line) -> None:
        line.received.clear()
        if line in self._heard:
            self._heard[line] = time.monotonic()

    def ended(self, line: Line) -> None:
        self._heard.pop(line, None)

    def pause(self) -> float | None:
        """Return the seconds until the next renewal; None without leases."""
        due = self._beaten_at + settings.LEASE_SECONDS / 3 - time.monotonic()
        return max(0.0, due) if self._heard else None

    def act(self) -> None:
        """Renew the leases of the children that live."""
        self._beaten_at = time.monotonic()
        alive: defaultdict[type[Leased], dict[int, Line]] = defaultdict(dict)
        for line, heard_at in self._heard.items():
            if heard_at >= self._beaten_at - settings.LEASE_SECONDS / 3:
                label, pk, _ = line.greeting
                alive[apps.get_model(label)][pk] = line
        try:
            with borrowed():
                for model, lines in alive.items():
                    attempts = {pk: line.greeting[2] for pk, line in lines.items()}
                    for pk in renew(model, attempts, shared_now()):
                        self._tell(lines[pk])
            self._database.over()
        except (DatabaseError, InterfaceError) as error:
            # The outage may be short: two thirds of the leases are left, and the fencing token protects the results.
            self._database.met(error, "leases are not renewed")
        finally:
            connection.close()

    def _tell(self, line: Line) -> None:
        """Say that the lease is lost. The child ends the line: closed here, a late sign of life would erase this."""
        del self._heard[line]
        try:
            line.end.send(LOST)
        except OSError:
            log.debug("the child of a lost lease has ended")


@cache
def lease_keeper() -> LeaseKeeper:
    """Return the keeper of this process, or of the one that forked it. The first call starts it."""
    keeper = LeaseKeeper()
    keeper.start()
    return keeper
