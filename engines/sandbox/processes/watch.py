"""Where no cgroup counts: a thread that looks at what a bot's processes hold, and what CPU time they have used."""

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from engines.sandbox.processes.process1 import Process1

_EVERY_SECONDS: Final = 0.05
# The kernel kills process 1 when bubblewrap ends; that may take a moment on a busy machine.
_ORPHAN_SECONDS: Final = 1.0


class MemoryWatch:
    """Kills a tree that holds more than `limit` bytes, looking twenty times a second and whenever it is asked.

    What one process once held is found later, while that process lives. A burst of several together between
    two looks gets through, so this wall is lower than a cgroup's. A sandbox that goes on without bubblewrap has
    exceeded it too: that is a bot's doing, to be rid of us.
    """

    def __init__(self, process_1: Process1, limit: int) -> None:
        self._exceeded = False
        self._process_1 = process_1
        self._limit = limit
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()
        self._thread.join()

    def exceeded(self) -> bool:
        """Whether the tree has held too much; if so it has been killed."""
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
    """The processes below this one, parents first."""
    found: list[int] = []
    queue = [pid]
    for parent in queue:
        with suppress(OSError):
            for task in Path(f"/proc/{parent}/task").iterdir():
                queue += (children := [int(child) for child in (task / "children").read_text().split()])
                found += children
    return found


def tree_cpu_seconds(pid: int) -> float:
    """CPU time of a process, of all below it, and of what was waited for there.

    A floor, for want of a cgroup: whoever's parent ignores SIGCHLD vanishes from these books with its end.
    """
    ticks = 0
    for process in (pid, *descendants(pid)):
        with suppress(OSError):  # gone in the meantime
            # Behind the name in parentheses, which may hold anything, fields count from the third: 14 to 17 are its
            # own time and that of its children, as a program and in the kernel.
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[14 - 3:18 - 3]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _held(pid: int) -> int:
    """Bytes in memory that are this process's share: what several hold in common is counted once."""
    return _kilobytes(f"/proc/{pid}/smaps_rollup", b"Pss:") * 1024


def _peak(pid: int) -> int:
    """Bytes in memory at the worst moment so far of what runs in this process, shared ones included."""
    return _kilobytes(f"/proc/{pid}/status", b"VmHWM:") * 1024


def _kilobytes(path: str, field: bytes) -> int:
    with suppress(OSError):
        for line in Path(path).read_bytes().splitlines():
            if line.startswith(field):
                return int(line.split()[1])
    return 0
