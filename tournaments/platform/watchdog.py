"""A watchdog: it ends a process whose work has not moved for STUCK_SECONDS, so that its supervisor starts it again.

A thread that works has moved if it has used processor time. One that has used none waits for something that never
comes, such as a lock that nobody will release: threads that wait for the database, Redis, a bot or the clock wake up
several times in this time. The watchdog then logs what every thread is doing, and ends the process.

A process that is frozen cannot do so. It is killed by its parent or its children, if they have a watchdog.
"""

import faulthandler
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from django.conf import settings

log = logging.getLogger(__name__)

# A machine that is suspended does not look, so nothing ends when it wakes up.
_LOOKS: Final = 10
# The clock of the processor time of the thread that is at work, by what it does.
_clocks: dict[str, int] = {}


@contextmanager
def watched(work: str) -> Iterator[None]:
    """Watch the current thread during this work. The name is for the log, and unique at each moment."""
    _clocks[work] = time.pthread_getcpuclockid(threading.get_ident())
    try:
        yield
    finally:
        rest(work)


def rest(work: str) -> None:
    """Watch this work no longer: from now on it may wait for as long as it likes."""
    _clocks.pop(work, None)


def start(relatives: Callable[[], Iterable[int]] = tuple) -> None:
    """Watch this process, and whether one of its `relatives` is frozen. Call it again in a process that was forked."""
    _clocks.clear()
    threading.Thread(target=_run, args=(relatives,), name="watchdog", daemon=True).start()


def children() -> list[int]:
    """Return the processes that this process has started."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # the thread has just ended
            found += map(int, (task / "children").read_text().split())
    return found


def _run(relatives: Callable[[], Iterable[int]]) -> None:
    before: dict[str | int, float] = {}
    looks: dict[str | int, int] = {}
    while True:
        time.sleep(settings.STUCK_SECONDS / _LOOKS)
        now: dict[str | int, float] = {pid: 0.0 for pid in relatives() if _is_frozen(pid)}
        for work, clock in dict(_clocks).items():
            with suppress(OSError):  # the thread has just ended
                now[work] = time.clock_gettime(clock)
        looks = {what: looks.get(what, 0) + 1 for what, moved in now.items() if before.get(what) == moved}
        before = now
        for what, number in looks.items():
            if number >= _LOOKS:
                _end(what)


def _end(what: str | int) -> None:
    if isinstance(what, int):
        log.critical("process %d has been frozen for %d s, so it is killed", what, settings.STUCK_SECONDS)
        with suppress(ProcessLookupError):
            os.kill(what, signal.SIGKILL)
        return
    log.critical("%s has not moved for %d s, so this process ends", what, settings.STUCK_SECONDS)
    faulthandler.dump_traceback(sys.__stderr__ or 2, all_threads=True)
    # Nothing waits for the thread that hangs. A process that is killed loses no more than this.
    os._exit(1)


def _is_frozen(pid: int) -> bool:
    """Return whether a signal has stopped the process."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    return False
