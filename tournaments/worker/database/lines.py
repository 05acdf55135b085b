"""Lines between the main process of a worker and the processes that it forks: sockets, on which one thread listens."""

import json
import logging
import os
import selectors
import socket
import threading
from dataclasses import dataclass, field
from typing import Any, Final

from tournaments.platform import watchdog

log = logging.getLogger(__name__)
_LONGEST_GREETING: Final = 500
_AT_ONCE: Final = 2**16


@dataclass(slots=True, eq=False)
class Line:
    """The main process's end of a line, with the JSON value with which it was opened."""

    end: socket.socket
    greeting: Any
    received: bytearray = field(default_factory=bytearray)


class LineServer:
    """Thread that listens on the lines of this process and of those that it forks. If it fails, the worker ends."""

    name: str

    def __init__(self) -> None:
        self._inbox, self._door = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._inbox, selectors.EVENT_READ)

    def start(self) -> None:
        """Start the thread."""
        threading.Thread(target=self._run, name=self.name, daemon=True).start()

    def open(self, greeting: bytes = b"null") -> socket.socket:
        """Return the other end of a new line; `greeting` is JSON. Any forked process may call this."""
        mine, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._door, [greeting], [theirs.fileno()])
        return mine

    def drop(self, line: Line) -> None:
        """Close the line."""
        self._selector.unregister(line.end)
        line.end.close()

    # --- defined by each server -------------------------------------------------------------------------------------

    def opened(self, line: Line) -> None:
        """Handle a new line."""

    def heard(self, line: Line) -> None:
        """Handle what has arrived on the line: `line.received` has grown."""
        raise NotImplementedError

    def ended(self, line: Line) -> None:
        """Handle the end of the line: the other process has closed it, or is dead."""

    def pause(self) -> float | None:
        """Return the seconds until `act` is due; None if it is not."""
        return None

    def act(self) -> None:
        """Do what is due at times."""

    # ----------------------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while True:
                ready = self._selector.select(self.pause())
                with watchdog.watched(f"the {self.name}"):
                    for key, _ in ready:
                        if key.fileobj is self._inbox:
                            self._accept()
                        else:
                            self._read(key.data)
                    if self.pause() == 0:
                        self.act()
        except BaseException:
            # Nothing would be claimed, or no lease renewed, from now on. The children end with the main process, and
            # other workers play their matches.
            log.critical("the %s failed, so the worker ends", self.name, exc_info=True)
            os._exit(1)

    def _accept(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._inbox, _LONGEST_GREETING, 1)
        line = Line(socket.socket(fileno=descriptors[0]), json.loads(message))
        line.end.setblocking(False)
        self._selector.register(line.end, selectors.EVENT_READ, line)
        self.opened(line)

    def _read(self, line: Line) -> None:
        try:
            received = line.end.recv(_AT_ONCE)
        except OSError:
            received = b""
        if received:
            line.received += received
            self.heard(line)
        else:
            self.drop(line)
            self.ended(line)
