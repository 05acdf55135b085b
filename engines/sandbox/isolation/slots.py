"""Slots: a number, a uid of its own and what belongs to it, held by a lock that dies with the worker."""

import ctypes
import errno
import fcntl
import os
import signal
import socket
import threading
from pathlib import Path
from typing import Final

from engines.sandbox.isolation import cgroups
from engines.sandbox.isolation.errors import SandboxError, SandboxUnavailable

BASE_VARIABLE: Final = "SQUAREFIELD_SANDBOX_UID_BASE"
DEFAULT_BASE: Final = 200_000
COUNT: Final = 64
_LIBC: Final = ctypes.CDLL(None)
_SETRESUID: Final = 117  # the system call itself, by its number for x86-64


def uid_base() -> int:
    """The uid of slot 0, from the environment. Raises SandboxUnavailable for one that is no such thing."""
    text = os.environ.get(BASE_VARIABLE, str(DEFAULT_BASE))
    if not text.isascii() or not text.isdigit() or not 1000 <= int(text) <= 2**31:
        raise SandboxUnavailable(f"{BASE_VARIABLE} must be a uid of at least 1000, with {COUNT} unused ones from there")
    return int(text)


class Slot:
    """A slot that this process holds. `uid` is its uid and gid; `claim` keeps it from all others on the machine."""

    def __init__(self, number: int, file: int, claim: socket.socket | None = None) -> None:
        self.number = number
        self.uid = uid_base() + number
        self._file = file
        self._claim = claim

    def note(self, directories: tuple[Path, ...]) -> None:
        """Write down what must be removed when this process dies; also when it is nothing, that a bot starts here."""
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, "".join(f"{directory}\n" for directory in directories).encode() or b"\n", 0)

    def kill(self) -> None:
        """Kill every process of the slot's uid, wherever it is; nothing where bots have the worker's own uid."""
        if self._claim is not None:
            _kill_all_of(self.uid)

    def release(self) -> None:
        """Give the slot back, everything that was noted being gone."""
        os.ftruncate(self._file, 0)
        os.close(self._file)
        if self._claim is not None:
            self._claim.close()


class Slots:
    """The slots of a runtime directory, shared by its workers. Those whose uid others use are passed over."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def take(self) -> Slot:
        """A free slot, cleared of what a dead worker left in it. Raises SandboxError when all are taken."""
        for number in range(COUNT):
            if (slot := self._slot(number)) is not None:
                return slot
        raise SandboxError(f"all {COUNT} slots for bots are taken")

    def sweep(self) -> None:
        """Remove what dead workers left."""
        for path in self._directory.iterdir():
            if path.stat().st_size and (slot := self._slot(int(path.name))) is not None:
                slot.release()

    def _slot(self, number: int) -> Slot | None:
        """The slot, cleared of what a dead worker left; None where it, or its uid, is another's."""
        locked = self._lock(number)
        if locked is None:
            return None
        file, was_left = locked
        try:
            slot = Slot(number, file, _claim(uid_base() + number) if os.geteuid() == 0 else None)
        except OSError as fault:
            os.close(file)
            if fault.errno == errno.EADDRINUSE:
                return None
            raise
        if was_left:
            slot.kill()
        return slot

    def _lock(self, number: int) -> tuple[int, bool] | None:
        """The slot's file, locked and cleared, and whether a dead worker left it; None while another process has it."""
        file = os.open(self._directory / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if left := os.pread(file, 4096, 0):
                cgroups.remove([Path(line) for line in left.decode().splitlines() if line])
                os.ftruncate(file, 0)
        except BaseException as fault:
            os.close(file)
            if isinstance(fault, BlockingIOError):
                return None
            raise
        return file, bool(left)


def _claim(uid: int) -> socket.socket:
    """Claim a uid on this machine for as long as the socket is open. Raises OSError (EADDRINUSE) when it is taken.

    What ends with a game is everything that its uid runs, so no two installations may give bots the same one at the
    same time. An abstract address needs no directory that both can write, and is free again when its owner dies.
    """
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        claim.bind(f"\0squarefield-uid-{uid}")
    except BaseException:
        claim.close()
        raise
    return claim


def _kill_all_of(uid: int) -> None:
    """Send SIGKILL to all processes of a uid at once, so that none can start another in the meantime.

    A thread that takes on that uid may signal them alone. The C library would change the uid of all our threads, so
    the kernel is called directly; a program of its own would cost more than the rest of a bot's end.
    """
    def run() -> None:
        if _LIBC.syscall(_SETRESUID, uid, uid, uid) == 0:
            _LIBC.kill(-1, signal.SIGKILL)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
