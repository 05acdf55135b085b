"""Where no cgroup counts memory: a thread that looks at what a bot's processes hold."""

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

_EVERY_SECONDS: Final = 0.05


class MemoryWatch:
    """Kills a tree that holds more than `limit` bytes, looking twenty times a second.

    A burst between two looks gets through, so this wall is lower than a cgroup's.
    """

    def __init__(self, pid: int, limit: int) -> None:
        self.exceeded = False
        self._pid = pid
        self._limit = limit
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(_EVERY_SECONDS):
            tree = descendants(self._pid)
            if sum(map(_held, tree)) > self._limit:
                self.exceeded = True
                for pid in tree[:1]:  # process 1 of the sandbox: the kernel ends the rest with it
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                return


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


def _held(pid: int) -> int:
    """Bytes in memory that are this process's share: what several hold in common is counted once."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return 0
