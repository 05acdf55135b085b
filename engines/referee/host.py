"""Detects a starved host, on which a bot could not have kept to its time.

Only losses by wall-clock time are examined: a bot that used more CPU time than its clock had left has lost, regardless
of the host. The host is at fault if, in the second half of the allowed wall-clock time,

- it kept the bot from working for at least half of that period, and the bot worked for less than half of it. The time
  kept from working is the CPU time stolen by the hypervisor, averaged over the CPUs, plus the time that the bot's
  threads waited in the run queue, but no more than the host's CPU pressure confirms; or
- wall-clock time is charged, and at least a tenth of the CPU time was stolen; or
- the referee had asked to be woken at half-time, but was not woken before the end.

A busy host does not excuse a bot that sleeps (it is not in the run queue), one that fills the queue with its own
processes (they work, even if each ends at once), or one that gives itself a low priority (`nice`: it waits by choice).
docs/decisions/0008-starved-hosts.md gives the reasons.
"""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from engines.sandbox.isolation.errors import SandboxError

PROC: Final = Path("/proc")
_SHARE_KEPT: Final = 0.5
_SHARE_STOLEN: Final = 0.1
# The number of columns in /proc/stat that add up to the total time; `guest` is already part of `user`.
_COLUMNS: Final = 8
_STEAL: Final = 7


class HostStarved(SandboxError):
    """The host kept the bot in `seat` from playing, or killed it: the attempt is void and must be retried."""

    def __init__(self, message: str, seat: int) -> None:
        super().__init__(message)
        self.seat = seat


class Reading(NamedTuple):
    """The state of the host and a bot at one moment, in seconds.

    `stolen` and `ticked` are the stolen and the total CPU time of all CPUs since boot. `pressure` is the time during
    which some task waited for a CPU, or None if the kernel does not report it. `worked` is the CPU time of the whole
    bot. `waits` maps each of its threads, as (process, thread), to its time in the run queue; this is 0 for a thread
    with lowered priority.
    """

    at: float
    stolen: float
    ticked: float
    pressure: float | None
    worked: float
    waits: dict[tuple[int, int], float]

    def processes(self) -> set[int]:
        """Return the bot's processes."""
        return {process for process, _ in self.waits}


class StarvationMonitor:
    """Reads the state of the host and of the process tree of `pid`, at half-time and at the end.

    `cpu_seconds` returns the CPU time of that tree since its start.
    """

    def __init__(self, pid: int, cpu_seconds: Callable[[], float], proc: Path = PROC) -> None:
        self._pid = pid
        self._cpu_seconds = cpu_seconds
        self._proc = proc
        self._half: Reading | None = None

    def begin(self) -> None:
        """Take the first reading; to be called at half-time."""
        self._half = self._read()

    def verdict(self, *, wall_is_charged: bool) -> str:
        """Return in words why the host is at fault for a loss on time, or "" if it is not."""
        if self._half is None:
            return "the referee was not woken in time to check its clock"
        return judge(self._half, self._read(), wall_is_charged=wall_is_charged)

    def _read(self) -> Reading:
        stolen, ticked = _stolen(self._proc)
        return Reading(time.monotonic(), stolen, ticked, _pressure(self._proc), self._cpu_seconds(),
                       dict(_waits(self._proc, self._pid)))


def judge(half: Reading, end: Reading, *, wall_is_charged: bool) -> str:
    """Return why the host is at fault, judging by its state at half-time and at the end, or "" if it is not.

    Wall-clock time is charged where the CPU time of ended processes is not known, because their parent ignored their
    end. There, no wait excuses a bot whose processes changed: it may have waited for its own.
    """
    seconds = end.at - half.at
    ticked = end.ticked - half.ticked
    share_stolen = (end.stolen - half.stolen) / ticked if ticked > 0 else 0.0
    worked = end.worked - half.worked
    waited = max((wait - half.waits[task] for task, wait in end.waits.items() if task in half.waits), default=0.0)
    if half.pressure is not None and end.pressure is not None:
        waited = min(waited, end.pressure - half.pressure)
    if wall_is_charged and half.processes() != end.processes():
        waited = 0.0
    kept = share_stolen * seconds + waited
    if (kept >= _SHARE_KEPT * seconds > worked) or (wall_is_charged and share_stolen >= _SHARE_STOLEN):
        return (f"in the last {seconds:.2f} s of its time the bot waited for a CPU for {waited:.2f} s "
                f"and worked for {worked:.2f} s, and {share_stolen:.0%} of the host's CPU time was stolen")
    return ""


def _stolen(proc: Path) -> tuple[float, float]:
    words = (proc / "stat").read_text().split(maxsplit=_COLUMNS + 1)
    ticks = [int(word) for word in words[1:_COLUMNS + 1]]
    hertz = os.sysconf("SC_CLK_TCK")
    return ticks[_STEAL] / hertz, sum(ticks) / hertz


def _pressure(proc: Path) -> float | None:
    """Return the total of the `some` line, in seconds; the kernel reports microseconds."""
    try:
        some = (proc / "pressure" / "cpu").read_text().split("\n", 1)[0]
    except OSError:  # the kernel was built or booted without pressure information
        return None
    return int(some.rpartition("total=")[2]) / 1e6


def _waits(proc: Path, pid: int) -> Iterator[tuple[tuple[int, int], float]]:
    """Yield every thread of a process tree, including the root's, with its seconds in the run queue."""
    processes = [pid]
    for process in processes:
        try:
            tasks = list((proc / str(process) / "task").iterdir())
        except OSError:  # the process has exited
            continue
        for task in tasks:
            try:
                _, waited, _ = (task / "schedstat").read_text().split()
                processes += map(int, (task / "children").read_text().split())
                lowered = _has_lowered_priority((task / "stat").read_text())
            except (OSError, ValueError):  # the thread has exited, or the kernel does not report this
                continue
            yield (process, int(task.name)), 0.0 if lowered else int(waited) / 1e9


def _has_lowered_priority(stat: str) -> bool:
    """Return whether a thread has lowered its priority below the referee's, which it cannot undo."""
    # The name in parentheses may contain anything; the fields after it are numbered from 3.
    fields = stat.rpartition(")")[2].split()
    nice, policy = int(fields[19 - 3]), int(fields[41 - 3])
    return nice > os.getpriority(os.PRIO_PROCESS, 0) or policy != os.sched_getscheduler(0)
