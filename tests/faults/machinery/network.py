"""Networks between processes and their servers that can be cut.

`Network` is of Unix sockets, and what is sent meanwhile arrives when it is back. `Cable` is one of the kernel's, on
which whatever is sent meanwhile is lost, and nobody is told.
"""

import os
import socket
import subprocess
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from shutil import which
from typing import Self

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


class Cable:
    """A network namespace that one cable connects with this machine, which is `here` for it. As root."""

    def __init__(self) -> None:
        number = os.getpid() % 0xFFFF
        self._name, self._near, self._far = f"sqf{number}", f"sqf{number}a", f"sqf{number}b"
        # Of the block for tests of networks between machines (RFC 2544), four addresses.
        first = 0xC612_0000 + number % 0x7FFF * 4
        self.here, self.there = (socket.inet_ntoa((first + last).to_bytes(4)) for last in (1, 2))

    def __enter__(self) -> Self:
        self._forget()
        try:
            _ip("netns", "add", self._name)
            _ip("link", "add", self._near, "type", "veth", "peer", "name", self._far, "netns", self._name)
            _ip("addr", "add", f"{self.here}/30", "dev", self._near)
            _ip("-n", self._name, "addr", "add", f"{self.there}/30", "dev", self._far)
            _ip("-n", self._name, "link", "set", "lo", "up")
            _ip("-n", self._name, "link", "set", self._far, "up")
            self.mend()
        except BaseException:
            self._forget()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._forget()

    @staticmethod
    def refused() -> str:
        """Why there can be none here; empty where there can."""
        try:
            with Cable():
                return ""
        except (OSError, subprocess.CalledProcessError) as error:
            return f"needs network namespaces: {getattr(error, 'stderr', '') or error}".strip()

    @property
    def within(self) -> list[str]:
        """Words before a command that is to run at the other end. The files, and Unix sockets, are the same there."""
        return [which("nsenter") or "nsenter", f"--net=/run/netns/{self._name}"]

    def cut(self) -> None:
        """Nothing arrives any more, in either direction; nobody is told."""
        _ip("link", "set", self._near, "down")

    def mend(self) -> None:
        """What is sent arrives."""
        _ip("link", "set", self._near, "up")

    def connections(self, port: int) -> list[str]:
        """What is open from the other end to this port, in the kernel's words."""
        done = subprocess.run([*self.within, "ss", "-Htn", "state", "established", "dport", "=", f":{port}"],
                              check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    def _forget(self) -> None:
        # Both ends go with the namespace; a killed run of the same number may have left them.
        with suppress(subprocess.CalledProcessError):
            _ip("netns", "del", self._name)
        with suppress(subprocess.CalledProcessError):
            _ip("link", "del", self._near)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
