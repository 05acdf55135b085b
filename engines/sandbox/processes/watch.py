"""Measures memory and CPU time of a bot's processes without a cgroup; a thread enforces the memory limit."""

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from engines.sandbox.processes.process1 import Process1

_EVERY_SECONDS: Final = 0.05
# The kernel kills process 1 when bubblewrap ends; this may take a moment on a busy machine.
_ORPHAN_SECONDS: Final = 1.0


class MemoryWatch:
    """Kills a process tree that uses more than `limit` bytes. It checks 20 times per second and on request.

    The peak of a single process is detected later as long as that process lives. A short burst of several processes
    together between two checks is not detected, so this limit is weaker than a cgroup's. A sandbox that continues to
    run without bubblewrap also counts as over the limit, because the bot must have killed bubblewrap to escape.
    """

    def __init__(self, process_1: Process1, limit: int) -> None:
        self._exceeded = False
        self._process_1 = process_1
        self._limit = limit
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._thread.join()

    def exceeded(self) -> bool:
        """Return whether the tree has exceeded the limit; if so, it has been killed."""
        if not self._exceeded and not self._ended.is_set():
            root = self._process_1.find()
            tree = [] if root is None else [root, *descendants(root)]
            if (sum(map(_held, tree)) > self._limit or any(_peak(pid) > self._limit for pid in tree)
                    or self._process_1.outlives_bubblewrap(_ORPHAN_SECONDS)):
                self._exceeded = True
                self._process_1.kill()
        return self._exceeded

    def _run(self) -> None:
        while not self._ended.wait(_EVERY_SECONDS) and not self.exceeded():
            pass


def descendants(pid: int) -> list[int]:
    """Return the processes below this one, parents first."""
    found: list[int] = []
    queue = [pid]
    for parent in queue:
        with suppress(OSError):
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children", "rb") as children:
                    below = [int(child) for child in children.read().split()]
                queue += below
                found += below
    return found


def tree_cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process tree, including exited processes that their parents waited for.

    Without a cgroup this is only a lower bound: a process whose parent ignores SIGCHLD is no longer counted after it
    exits.
    """
    ticks = 0
    for process in (pid, *descendants(pid)):
        with suppress(OSError):  # the process has exited
            # The name in parentheses may contain anything; the fields after it are numbered from 3. Fields 14 to 17
            # are the user and system time of the process and of its children.
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[14 - 3:18 - 3]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _held(pid: int) -> int:
    """Return the bytes in memory that are this process's share; shared memory is divided among its users."""
    return _kilobytes(f"/proc/{pid}/smaps_rollup", b"Pss:") * 1024


def _peak(pid: int) -> int:
    """Return the peak number of bytes in memory of the program in this process, including shared memory."""
    return _kilobytes(f"/proc/{pid}/status", b"VmHWM:") * 1024


def _kilobytes(path: str, field: bytes) -> int:
    with suppress(OSError):
        for line in Path(path).read_bytes().splitlines():
            if line.startswith(field):
                return int(line.split()[1])
    return 0
