"""Slots for running bots: a number with its own uid and cgroups, held by a lock that ends with the worker."""

import ctypes
import errno
import fcntl
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from engines.sandbox.isolation import cgroups
from engines.sandbox.isolation.errors import SandboxError, SandboxUnavailable

BASE_VARIABLE: Final = "SQUAREFIELD_SANDBOX_UID_BASE"
DEFAULT_BASE: Final = 200_000
COUNT: Final = 64
# A process that works runs this many bots at a time: those of a match.
AT_A_TIME: Final = 2
_LIBC: Final = ctypes.CDLL(None)
_SETRESUID: Final = 117  # the x86-64 number of the system call


def uid_base() -> int:
    """Return the uid of slot 0, from the environment. Raises SandboxUnavailable if the value is invalid."""
    text = os.environ.get(BASE_VARIABLE, str(DEFAULT_BASE))
    if not text.isascii() or not text.isdigit() or not 1000 <= int(text) <= 2**31:
        raise SandboxUnavailable(f"{BASE_VARIABLE} must be the first of {COUNT} unused uids, and at least 1000")
    return int(text)


class SlotsInUse(SandboxError):
    """All slots of this machine are in use."""


class Slot:
    """A slot held by this process. `uid` is its uid and gid; `claim` reserves the uid on this machine.

    `keep` is called when a bot has left the slot, and says whether it stays held, for another bot.
    """

    def __init__(self, number: int, file: int, claim: socket.socket | None = None,
                 keep: Callable[["Slot"], bool] = lambda _: False) -> None:
        self.number = number
        self.uid = uid_base() + number
        self._file = file
        self._claim = claim
        self._keep = keep

    def note(self, directories: tuple[str, ...]) -> None:
        """Record the directories to remove if this process dies; even if there are none, record that a bot starts."""
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, "".join(f"{directory}\n" for directory in directories).encode() or b"\n", 0)

    def kill(self) -> None:
        """Kill every process of the slot's uid, in any sandbox; do nothing if bots have the worker's own uid."""
        if self._claim is not None:
            _kill_all_of(self.uid)

    def release(self) -> None:
        """Give the slot back; everything recorded must have been removed."""
        os.ftruncate(self._file, 0)
        if self._keep(self):
            return
        os.close(self._file)
        if self._claim is not None:
            self._claim.close()


class Slots:
    """The slots of a runtime directory, shared by its workers. Slots with a uid in use by others are skipped."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        # Slots that this process keeps for its next bots, and how many it keeps at most.
        self._kept: list[Slot] = []
        self._most_kept = 0

    def take(self) -> Slot:
        """Return a free slot, after cleaning up what a dead worker left in it. Raises SlotsInUse if none is free."""
        if self._kept:
            return self._kept.pop(0)
        for number in range(COUNT):
            if (slot := self._slot(number)) is not None:
                return slot
        raise SlotsInUse(f"all {COUNT} slots for bots are in use on this machine: let its workers play fewer matches "
                         "at a time")

    @contextmanager
    def kept(self, number: int = AT_A_TIME) -> Iterator[None]:
        """Take slots for the bots of this context, so that none of these finds all in use. Raises SlotsInUse."""
        taken: list[Slot] = []
        try:
            while len(taken) < number:
                taken.append(self.take())
            self._most_kept, self._kept, taken = number, taken, []
            yield
        finally:
            self._most_kept, self._kept, unused = 0, [], [*taken, *self._kept]
            for slot in unused:
                slot.release()

    def _keep(self, slot: Slot) -> bool:
        """Keep the slot if this process may keep another one."""
        if len(self._kept) >= self._most_kept:
            return False
        self._kept.append(slot)
        return True

    def sweep(self) -> None:
        """Clean up what dead workers left in the slots."""
        for path in self._directory.iterdir():
            if path.stat().st_size and (slot := self._slot(int(path.name))) is not None:
                slot.release()

    def _slot(self, number: int) -> Slot | None:
        """Return the slot, cleaned up after a dead worker; None if the slot or its uid is in use by another process."""
        locked = self._lock(number)
        if locked is None:
            return None
        file, was_left = locked
        try:
            slot = Slot(number, file, _claim(uid_base() + number) if os.geteuid() == 0 else None, self._keep)
        except OSError as fault:
            os.close(file)
            if fault.errno == errno.EADDRINUSE:
                return None
            raise
        if was_left:
            slot.kill()
        return slot

    def _lock(self, number: int) -> tuple[int, bool] | None:
        """Lock and clear the slot's file. Return it and whether a dead worker left data; None if already locked."""
        file = os.open(self._directory / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if left := os.pread(file, 4096, 0):
                cgroups.remove(line for line in left.decode().splitlines() if line)
                os.ftruncate(file, 0)
        except BaseException as fault:
            os.close(file)
            if isinstance(fault, BlockingIOError):
                return None
            raise
        return file, bool(left)


def _claim(uid: int) -> socket.socket:
    """Claim a uid on this machine as long as the socket is open. Raises OSError (EADDRINUSE) if it is already claimed.

    At the end of a game, all processes of its uid are killed, so no two installations may use the same uid for bots at
    the same time. An abstract socket address needs no shared writable directory and is released when its owner dies.
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

    A thread that switches to that uid may signal only those processes. The C library would change the uid of all our
    threads, so the kernel is called directly. A separate program would take longer than all other steps together.
    """
    def run() -> None:
        if _LIBC.syscall(_SETRESUID, uid, uid, uid) == 0:
            _LIBC.kill(-1, signal.SIGKILL)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
