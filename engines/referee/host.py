"""Whether the host itself was starved, so that a bot could not have kept to its time.

Only a turn that the wall decided is looked at: who used more CPU time than the clock had left has lost,
whatever the host did. In the second half of the wall time allowed, the host is to blame when

- it kept the bot from working for at least half of that time, and the bot itself worked for less than half of it.
  Kept from working is what the hypervisor stole, averaged over the CPUs, and what the bot's own threads stood in the
  run queue, as far as the host's CPU pressure bears that out; or
- wall time is charged, and a tenth or more of the CPUs' time was stolen; or
- not even the referee, who had asked to be woken at half-time, was woken before the end.

A bot that sleeps stands in no queue, one that crowds the queue with threads of its own works, and one that lets
others go first (`nice`) waits because it wants to: none of them is excused by a busy host.
docs/decisions/0008-starved-hosts.md has the reasons.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from engines.sandbox.isolation.errors import SandboxError

PROC: Final = Path("/proc")
_SHARE_KEPT: Final = 0.5
_SHARE_STOLEN: Final = 0.1
# The columns of /proc/stat that add up to all the time there is; `guest` is part of `user`.
_COLUMNS: Final = 8
_STEAL: Final = 7


class HostStarved(SandboxError):
    """The host kept the bot in `seat` from playing, so its loss on time is no result: void the attempt, play again."""

    def __init__(self, message: str, seat: int) -> None:
        super().__init__(message)
        self.seat = seat


class Reading(NamedTuple):
    """The host and a bot at one moment, in seconds.

    `stolen` and `ticked` are the CPU time that was stolen and that went by, of all CPUs since the boot;
    `pressure` the time in which some task waited for a CPU, None where the kernel does not tell. `tasks`:
    each thread's time at work and its time in the run queue; 0 for one that lets others go first.
    """

    at: float
    stolen: float
    ticked: float
    pressure: float | None
    tasks: dict[int, tuple[float, float]]


class StarvationMonitor:
    """Looks at the host and at the process tree of `pid`, at half-time and at the end."""

    def __init__(self, pid: int, proc: Path = PROC) -> None:
        self._pid = pid
        self._proc = proc
        self._half: Reading | None = None

    def begin(self) -> None:
        """Half of the time allowed has gone."""
        self._half = self._read()

    def verdict(self, *, wall_is_charged: bool) -> str:
        """Why the host is to blame for what now has taken too long, in words; "" when it is not."""
        if self._half is None:
            return "the referee was not woken in time to look at its clock"
        return judge(self._half, self._read(), wall_is_charged=wall_is_charged)

    def _read(self) -> Reading:
        stolen, ticked = _stolen(self._proc)
        return Reading(time.monotonic(), stolen, ticked, _pressure(self._proc), dict(_tasks(self._proc, self._pid)))


def judge(half: Reading, end: Reading, *, wall_is_charged: bool) -> str:
    """Why the host is to blame, by its state at half-time and at the end; "" when it is not."""
    seconds = end.at - half.at
    ticked = end.ticked - half.ticked
    share_stolen = (end.stolen - half.stolen) / ticked if ticked > 0 else 0.0
    known = {task: (work, wait) for task, (work, wait) in end.tasks.items() if task in half.tasks}
    worked = sum(work - half.tasks[task][0] for task, (work, _) in known.items())
    waited = max((wait - half.tasks[task][1] for task, (_, wait) in known.items()), default=0.0)
    if half.pressure is not None and end.pressure is not None:
        waited = min(waited, end.pressure - half.pressure)
    kept = share_stolen * seconds + waited
    if (kept >= _SHARE_KEPT * seconds > worked) or (wall_is_charged and share_stolen >= _SHARE_STOLEN):
        return (f"in the last {seconds:.2f} s of its time the bot stood in line for a CPU for {waited:.2f} s "
                f"and worked for {worked:.2f} s, and {share_stolen:.0%} of the host's CPU time was stolen")
    return ""


def _stolen(proc: Path) -> tuple[float, float]:
    words = (proc / "stat").read_text().split(maxsplit=_COLUMNS + 1)
    ticks = [int(word) for word in words[1:_COLUMNS + 1]]
    hertz = os.sysconf("SC_CLK_TCK")
    return ticks[_STEAL] / hertz, sum(ticks) / hertz


def _pressure(proc: Path) -> float | None:
    """The `some` line's total, kept in microseconds."""
    try:
        some = (proc / "pressure" / "cpu").read_text().split("\n", 1)[0]
    except OSError:  # the kernel was built or booted without it
        return None
    return int(some.rpartition("total=")[2]) / 1e6


def _tasks(proc: Path, pid: int) -> Iterator[tuple[int, tuple[float, float]]]:
    """Every thread of the tree below a process, itself included, with its seconds at work and in the run queue."""
    processes = [pid]
    for process in processes:
        try:
            tasks = list((proc / str(process) / "task").iterdir())
        except OSError:  # gone in the meantime
            continue
        for task in tasks:
            try:
                worked, waited, _ = (task / "schedstat").read_text().split()
                processes += map(int, (task / "children").read_text().split())
                polite = _is_polite((task / "stat").read_text())
            except (OSError, ValueError):  # gone, or a kernel that keeps no such books
                continue
            yield int(task.name), (int(worked) / 1e9, 0.0 if polite else int(waited) / 1e9)


def _is_polite(stat: str) -> bool:
    """Whether a thread has given itself a lower priority than the referee's, which it cannot undo."""
    # Behind the name in parentheses, which may hold anything, fields count from the third.
    fields = stat.rpartition(")")[2].split()
    nice, policy = int(fields[19 - 3]), int(fields[41 - 3])
    return nice > os.getpriority(os.PRIO_PROCESS, 0) or policy != os.sched_getscheduler(0)
