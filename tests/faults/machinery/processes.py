"""Functions that inspect processes through /proc."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def children(pid: int) -> list[int]:
    """Return the running child processes of this one."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [child for child in map(int, path.read_text().split()) if state(child) not in ("Z", "")]
    return found


def family(pid: int) -> list[int]:
    """Return the process and all its descendants."""
    found = [pid]
    for member in found:
        found += children(member)
    return found


def state(pid: int) -> str:
    """Return the state R, S, T, Z …; empty if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def with_uids(first: int, count: int) -> list[int]:
    """Return the processes of these users."""
    return [pid for pid, place in _all() if first <= place.stat().st_uid < first + count]


def with_environment(text: str) -> list[int]:
    """Return the processes with this text in their environment, without zombies."""
    found = []
    for pid, place in _all():
        with suppress(OSError):
            if text.encode() in (place / "environ").read_bytes() and pid != os.getpid():
                found.append(pid)
    return found


def _all() -> Iterator[tuple[int, Path]]:
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with suppress(OSError):
                place.stat()
                yield int(place.name), place


@contextmanager
def stopped(pids: list[int]) -> Iterator[None]:
    """Stop these processes during the block."""
    _signal(pids, signal.SIGSTOP)
    try:
        yield
    finally:
        _signal(pids, signal.SIGCONT)


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def await_true(condition: Callable[[], object], seconds: float) -> bool:
    """Wait for the condition to hold; return whether it did within this time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
