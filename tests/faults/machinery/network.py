"""Networks, between processes and their servers, that can be cut.

`Network` forwards Unix sockets; data sent during a cut arrives when it is restored. `Cable` is a link in the kernel;
packets sent during a cut are lost, and neither side is notified.
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
    """Forwards connections to the Unix sockets in `directory` to the servers' sockets of the same names."""

    def __init__(self, directory: Path, *servers: Path) -> None:
        directory.mkdir()
        self._whole = threading.Event()
        self._whole.set()
        self._open = ExitStack()
        for server in servers:
            listener = self._open.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(str(directory / server.name))
            listener.listen()
            threading.Thread(target=self._accept, args=(listener, server), daemon=True).start()

    def cut(self) -> None:
        """Stop delivering data in either direction, without notice."""
        self._whole.clear()

    def restore(self) -> None:
        """Deliver the data sent during the cut, and resume."""
        self._whole.set()

    def close(self) -> None:
        """Accept no more connections."""
        self._whole.set()
        self._open.close()

    def _accept(self, listener: socket.socket, server: Path) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
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
    """A network namespace linked to this machine, whose address there is `here`. Needs root."""

    def __init__(self) -> None:
        number = os.getpid() % 0xFFFF
        self._name, self._near, self._far = f"sqf{number}", f"sqf{number}a", f"sqf{number}b"
        # Four addresses from the block for tests between networks (RFC 2544).
        first = 0xC612_0000 + number % 0x7FFF * 4
        self.here, self.there = (socket.inet_ntoa((first + last).to_bytes(4)) for last in (1, 2))

    def __enter__(self) -> Self:
        self._forget()
        try:
            run_ip("netns", "add", self._name)
            run_ip("link", "add", self._near, "type", "veth", "peer", "name", self._far, "netns", self._name)
            run_ip("addr", "add", f"{self.here}/30", "dev", self._near)
            run_ip("-n", self._name, "addr", "add", f"{self.there}/30", "dev", self._far)
            run_ip("-n", self._name, "link", "set", "lo", "up")
            run_ip("-n", self._name, "link", "set", self._far, "up")
            self.restore()
        except BaseException:
            self._forget()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._forget()

    @staticmethod
    def refused() -> str:
        """Return why a cable cannot be set up; empty if it can."""
        try:
            with Cable():
                return ""
        except (OSError, subprocess.CalledProcessError) as error:
            return f"needs network namespaces: {getattr(error, 'stderr', '') or error}".strip()

    @property
    def within(self) -> list[str]:
        """Return the prefix for commands that run at the other end, which shares the files and Unix sockets."""
        return [which("nsenter") or "nsenter", f"--net=/run/netns/{self._name}"]

    def cut(self) -> None:
        """Lose all packets in either direction, without notice."""
        run_ip("link", "set", self._near, "down")

    def restore(self) -> None:
        """Deliver packets again."""
        run_ip("link", "set", self._near, "up")

    def connections(self, port: int) -> list[str]:
        """Return the open connections from the other end to this port, as the kernel lists them."""
        done = subprocess.run([*self.within, "ss", "-Htn", "state", "established", "dport", "=", f":{port}"],
                              check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    def _forget(self) -> None:
        # Deleting the namespace deletes both ends; a killed run with the same number may have left them.
        with suppress(subprocess.CalledProcessError):
            run_ip("netns", "del", self._name)
        with suppress(subprocess.CalledProcessError):
            run_ip("link", "del", self._near)


def run_ip(*words: str) -> str:
    """Run `ip` with these words and return its output."""
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout
