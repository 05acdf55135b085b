"""A network between a worker and the servers that can be cut: what is sent meanwhile arrives when it is back."""

import socket
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

_CHUNK = 65_536


class Network:
    """Passes on what comes to the Unix sockets in `directory` to those of the same names at their servers."""

    def __init__(self, directory: Path, *servers: Path) -> None:
        directory.mkdir()
        self._whole = threading.Event()
        self._whole.set()
        self._open = ExitStack()
        for server in servers:
            door = self._open.enter_context(socket.socket(socket.AF_UNIX))
            door.bind(str(directory / server.name))
            door.listen()
            threading.Thread(target=self._accept, args=(door, server), daemon=True).start()

    def cut(self) -> None:
        """Nothing arrives any more, in either direction; nobody is told."""
        self._whole.clear()

    def mend(self) -> None:
        """Everything arrives that was sent meanwhile."""
        self._whole.set()

    def close(self) -> None:
        """Take no more connections."""
        self._whole.set()
        self._open.close()

    def _accept(self, door: socket.socket, server: Path) -> None:
        with suppress(OSError):
            while True:
                near, _ = door.accept()
                threading.Thread(target=self._connect, args=(near, server), daemon=True).start()

    def _connect(self, near: socket.socket, server: Path) -> None:
        with near, socket.socket(socket.AF_UNIX) as far, suppress(OSError):
            self._whole.wait()
            far.connect(str(server))
            back = threading.Thread(target=self._carry, args=(far, near), daemon=True)
            back.start()
            self._carry(near, far)
            back.join()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                self._whole.wait()
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
