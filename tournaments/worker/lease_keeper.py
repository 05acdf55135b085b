"""The keeper of a worker's leases: one thread of its main process, which renews all of them with one statement.

A child that has a lease holds a line to the keeper, a socket, until its work ends. It sends a sign of life over it: a
child that is frozen or dead keeps no lease. If a renewal finds a lease lost, the keeper says so.
"""

import json
import logging
import os
import selectors
import socket
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from tournaments.models.leased import Leased
from tournaments.platform.clock import shared_now
from tournaments.platform.outage import Outage
from tournaments.services.shared.leases import Lease, renew

log = logging.getLogger(__name__)

ALIVE: Final = b"a"
LOST: Final = b"l"
_LONGEST_MESSAGE: Final = 500


@dataclass(slots=True)
class _Line:
    """A child's line, the attempt for which it is held, and the monotonic time of the last sign of life."""

    model: type[Leased]
    pk: int
    number: int
    heard_at: float


class LeaseKeeper:
    """Renews the leases of this process and of those that it forks, from `start` on."""

    def __init__(self) -> None:
        self._inbox, self._door = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._lines: dict[socket.socket, _Line] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._inbox, selectors.EVENT_READ)
        self._beaten_at = time.monotonic()
        self._database = Outage("the database")

    def start(self) -> None:
        """Start the thread."""
        threading.Thread(target=self._run, name="lease keeper", daemon=True).start()

    def hold(self, lease: Lease[Any]) -> socket.socket:
        """Return a line for this lease, which is renewed until the line is closed. Any forked process may call this."""
        mine, theirs = socket.socketpair()
        with theirs:
            message = json.dumps([lease.work._meta.label, lease.work.pk, lease.number])  # noqa: SLF001 - documented API
            socket.send_fds(self._door, [message.encode()], [theirs.fileno()])
        return mine

    def _run(self) -> None:
        try:
            while True:
                for key, _ in self._selector.select(self._pause()):
                    if key.fileobj is self._inbox:
                        self._accept()
                    elif isinstance(key.fileobj, socket.socket):
                        self._hear(key.fileobj)
                if self._lines and self._pause() == 0:
                    self._beat()
        except BaseException:
            # No lease of this worker would be renewed from now on. Its children end with it, and others play its
            # matches.
            log.critical("the keeper of the leases failed, so the worker ends", exc_info=True)
            os._exit(1)

    def _pause(self) -> float | None:
        """Return the seconds until the next renewal; None without leases."""
        due = self._beaten_at + settings.LEASE_SECONDS / 3 - time.monotonic()
        return max(0.0, due) if self._lines else None

    def _accept(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._inbox, _LONGEST_MESSAGE, 1)
        label, pk, number = json.loads(message)
        line = socket.socket(fileno=descriptors[0])
        line.setblocking(False)
        self._lines[line] = _Line(apps.get_model(label), pk, number, time.monotonic())
        self._selector.register(line, selectors.EVENT_READ)

    def _hear(self, line: socket.socket) -> None:
        try:
            heard = line.recv(64)
        except OSError:
            heard = b""
        if heard:
            self._lines[line].heard_at = time.monotonic()
        else:
            self._drop(line)

    def _drop(self, line: socket.socket) -> None:
        self._selector.unregister(line)
        del self._lines[line]
        line.close()

    def _beat(self) -> None:
        self._beaten_at = time.monotonic()
        alive: defaultdict[type[Leased], dict[int, socket.socket]] = defaultdict(dict)
        for socket_, line in self._lines.items():
            if line.heard_at >= self._beaten_at - settings.LEASE_SECONDS / 3:
                alive[line.model][line.pk] = socket_
        try:
            for model, lines in alive.items():
                attempts = {pk: self._lines[held].number for pk, held in lines.items()}
                for pk in renew(model, attempts, shared_now()):
                    self._tell(lines[pk])
            self._database.over()
        except (DatabaseError, InterfaceError) as error:
            # The outage may be short: two thirds of the leases are left, and the fencing token protects the results.
            self._database.met(error, "leases are not renewed")
        finally:
            connection.close()

    def _tell(self, line: socket.socket) -> None:
        """Say that the lease is lost."""
        try:
            line.send(LOST)
        except OSError:
            log.debug("the child of a lost lease has ended")
        self._drop(line)


_keepers: list[LeaseKeeper] = []


def lease_keeper() -> LeaseKeeper:
    """Return the keeper of this process, or of the one that forked it; start one if there is none."""
    if not _keepers:
        _keepers.append(LeaseKeeper())
        _keepers[0].start()
    return _keepers[0]
