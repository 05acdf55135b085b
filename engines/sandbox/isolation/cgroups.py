"""Cgroups for bots: limit memory, tasks and CPU, measure CPU time, and freeze or kill the whole process tree.

There are two layouts behind one interface. Version 1 has a tree per controller and a group in each; version 2
has one tree, part of which must be delegated to the worker. Groups are created below the worker's own group.
Their names start with `PREFIX`, so that cleaning up after a dead worker removes only our own groups.
Directories are strings here: with `Path`, a start and an end of a bot would take a fifth more of our processor time.
"""

import os
import resource
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from engines.sandbox.isolation.errors import SandboxError
from engines.sandbox.isolation.limits import Limits

PREFIX: Final = "squarefield-"
# bubblewrap's monitor and its process 1 are in the group, in addition to the bot's own tasks.
TASKS_OF_BUBBLEWRAP: Final = 2
# Every bot may use one core, with the same share regardless of how many processes and sessions it starts. The period
# and the weight are the kernel's defaults for a new group, because each write adds a tenth of a millisecond to a start.
_PERIOD_US: Final = 100_000
# A bot thrashes if, at its limit, it has read this share of the limit again: by default 64 MB, the size of the largest
# archive, so reading all of its own files again does not suffice.
_THRASHING_SHARE: Final = 8
_PATIENCE_SECONDS: Final = 5.0
_POLL_SECONDS: Final = 0.0005
_READ: Final = 4096
# The kernel charges up to 64 pages at once, so a group that has met its limit may have a peak just below it.
_CHARGED_AT_ONCE: Final = 64 * resource.getpagesize()


class Group(ABC):
    """The cgroup of one bot; `directories` are all the directories created for it."""

    _usage: int
    _memory_events: int

    def __init__(self, directories: Iterable[str]) -> None:
        self.directories = tuple(directories)
        # Each of these directories lists all processes of the group.
        self._with_all = self.directories
        self._files: list[int] = []

    def _open(self, path: str, mode: int = os.O_RDONLY) -> int:
        """Open a file and keep it open, because it is used in every turn."""
        self._files.append(os.open(path, mode | os.O_CLOEXEC))
        return self._files[-1]

    def attach(self, pid: int) -> None:
        """Put a process into the group, together with all processes it will start."""
        for directory in self.directories:
            _put(f"{directory}/cgroup.procs", b"%d" % pid)

    @abstractmethod
    def cpu_seconds(self) -> float:
        """Return the CPU time of all processes that are or were in the group."""

    def memory_exceeded(self) -> bool:
        """Return whether the kernel killed a process of the group for its memory use, or should have."""
        return self._has_lost_process() and self._has_met_limit()

    def killed_for_others(self) -> bool:
        """Return whether the kernel killed a process of the group because the host had no memory: not the group."""
        return self._has_lost_process() and not self._has_met_limit()

    def _has_lost_process(self) -> bool:
        """Return whether an OOM killer, of this group or of one above it, has killed a process of the group."""
        return _field(os.pread(self._memory_events, _READ, 0), b"oom_kill") > 0

    @abstractmethod
    def _has_met_limit(self) -> bool:
        """Return whether the group was at its own limit, so that its own OOM killer may have killed."""

    @abstractmethod
    def freeze(self) -> None:
        """Freeze every process; return without waiting until all have stopped."""

    @abstractmethod
    def thaw(self) -> None:
        """Let the processes run again."""

    def kill(self, spare: int | None = None) -> None:
        """Send SIGKILL to every process except `spare`, frozen or not."""
        kill_all(self._with_all, spare)

    def remove(self) -> None:
        """Kill the remaining processes, wait for their end and remove the group. Raises SandboxError after 5 s."""
        while self._files:
            os.close(self._files.pop())
        remove(self.directories)


class GroupV1(Group):
    """One directory per controller, keyed by the controller's name."""

    def __init__(self, by_controller: dict[str, str]) -> None:
        super().__init__(dict.fromkeys(by_controller.values()))
        # All directories list the same processes, and this one can thaw them.
        self._with_all = (by_controller["freezer"],)
        self._freezer = self._open(by_controller["freezer"] + "/freezer.state", os.O_WRONLY)
        self._usage = self._open(by_controller["cpuacct"] + "/cpuacct.usage")
        self._memory_events = self._open(by_controller["memory"] + "/memory.oom_control")
        self._memory = by_controller["memory"]

    def cpu_seconds(self) -> float:
        return int(os.pread(self._usage, 32, 0)) / 1e9

    def _has_met_limit(self) -> bool:
        # Not `failcnt`, which counts allocations that succeeded after reclaim, and which Linux 6.18 leaves at 0.
        # The limit of memory and swap is equal, and is met first.
        for kind in ("memory.memsw", "memory"):
            with suppress(FileNotFoundError):
                peak, limit = (int(Path(f"{self._memory}/{kind}.{name}_in_bytes").read_bytes())
                               for name in ("max_usage", "limit"))
                return peak > limit - _CHARGED_AT_ONCE
        return True

    def freeze(self) -> None:
        os.pwrite(self._freezer, b"FROZEN", 0)

    def thaw(self) -> None:
        os.pwrite(self._freezer, b"THAWED", 0)


class GroupV2(Group):
    """A cgroup with a single directory.

    At the limit, the kernel may take pages of the running program's files away instead of killing it, and read them
    again at once: it sees progress, but the program stands still. Then memory counts as exceeded as well.
    """

    def __init__(self, directory: str, memory_bytes: int) -> None:
        super().__init__((directory,))
        self._memory_stat = self._open(directory + "/memory.stat")
        self._most_refaults = memory_bytes // _THRASHING_SHARE // resource.getpagesize()
        self._limit_hits = self._refaults = self._refaults_at_limit = 0
        self._freezer = self._open(directory + "/cgroup.freeze", os.O_WRONLY)
        self._usage = self._open(directory + "/cpu.stat")
        self._memory_events = self._open(directory + "/memory.events")

    def memory_exceeded(self) -> bool:
        return super().memory_exceeded() or self._thrashes()

    def _thrashes(self) -> bool:
        """Return whether pages of files were read again too often while the group was at its limit.

        Under memory pressure of the whole host, which is not the bot's fault, the group does not hit its own limit.
        """
        hits = _field(os.pread(self._memory_events, _READ, 0), b"max")
        if hits != self._limit_hits:
            refaults = _field(os.pread(self._memory_stat, _READ, 0), b"workingset_refault_file")
            self._refaults_at_limit += refaults - self._refaults
            self._limit_hits, self._refaults = hits, refaults
        return self._refaults_at_limit > self._most_refaults

    def _has_met_limit(self) -> bool:
        return _field(os.pread(self._memory_events, _READ, 0), b"oom") > 0

    def cpu_seconds(self) -> float:
        return _field(os.pread(self._usage, _READ, 0), b"usage_usec") / 1e6

    def freeze(self) -> None:
        os.pwrite(self._freezer, b"1", 0)

    def thaw(self) -> None:
        os.pwrite(self._freezer, b"0", 0)


class Cgroups(ABC):
    """The place on this machine where cgroups can be created."""

    place: str
    """A description of the place, which is part of the key of a stored tier."""

    @abstractmethod
    def places(self, name: str) -> tuple[str, ...]:
        """Return the directories of a group with this name, whether they exist or not."""

    @abstractmethod
    def make(self, name: str, limits: Limits) -> Group:
        """Create an empty group with these limits. Raises OSError."""


class CgroupsV1(Cgroups):
    """Version 1; `parents` has the worker's own group for each required controller."""

    CONTROLLERS: Final = ("memory", "pids", "cpu", "cpuacct", "freezer")

    def __init__(self, parents: dict[str, Path]) -> None:
        self._parents = {name: str(parent) for name, parent in parents.items()}
        self.place = " ".join(self._parents[name] for name in self.CONTROLLERS)

    def places(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._groups(name).values()))

    def make(self, name: str, limits: Limits) -> GroupV1:
        groups = self._groups(name)
        made = tuple(dict.fromkeys(groups.values()))
        try:
            for directory in made:
                os.mkdir(directory)
            memory = b"%d" % limits.memory_bytes
            _put(groups["memory"] + "/memory.limit_in_bytes", memory)
            with suppress(FileNotFoundError):  # missing if the kernel does not count swap
                _put(groups["memory"] + "/memory.memsw.limit_in_bytes", memory)
            _put(groups["pids"] + "/pids.max", b"%d" % (limits.tasks + TASKS_OF_BUBBLEWRAP))
            _put(groups["cpu"] + "/cpu.cfs_quota_us", b"%d" % _PERIOD_US)
            return GroupV1(groups)
        except OSError:
            remove(directory for directory in made if os.path.exists(directory))
            raise

    def _groups(self, name: str) -> dict[str, str]:
        return {controller: f"{self._parents[controller]}/{PREFIX}{name}" for controller in self.CONTROLLERS}


class CgroupsV2(Cgroups):
    """Version 2; `parent` is a group whose children have the memory, pids and cpu controllers."""

    def __init__(self, parent: Path) -> None:
        self.place = str(parent)

    def places(self, name: str) -> tuple[str, ...]:
        return (f"{self.place}/{PREFIX}{name}",)

    def make(self, name: str, limits: Limits) -> GroupV2:
        (directory,) = self.places(name)
        os.mkdir(directory)
        try:
            _put(directory + "/memory.max", b"%d" % limits.memory_bytes)
            with suppress(FileNotFoundError):
                _put(directory + "/memory.swap.max", b"0")
            _put(directory + "/memory.oom.group", b"1")
            _put(directory + "/pids.max", b"%d" % (limits.tasks + TASKS_OF_BUBBLEWRAP))
            _put(directory + "/cpu.max", b"%d %d" % (_PERIOD_US, _PERIOD_US))
            return GroupV2(directory, limits.memory_bytes)
        except OSError:
            remove((directory,))
            raise


def kill_all(directories: Iterable[str], spare: int | None = None) -> None:
    """Send SIGKILL to every process in these groups except `spare`. Frozen version 1 processes only die once thawed."""
    for directory in directories:
        if spare is None and os.path.exists(f"{directory}/cgroup.kill"):
            _put(f"{directory}/cgroup.kill", b"1")
            continue
        for pid in _pids(directory):
            if pid != spare:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        with suppress(FileNotFoundError):  # missing in version 2
            _put(f"{directory}/freezer.state", b"THAWED")


def remove(directories: Iterable[str]) -> None:
    """Kill the processes in these groups and remove the groups, if they exist. Raises SandboxError after 5 s."""
    left = [directory for directory in directories if os.path.basename(directory).startswith(PREFIX)]
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while left := [directory for directory in left if not _remove_empty(directory)]:
        kill_all(left)
        if time.monotonic() > give_up:
            raise SandboxError(f"the processes in {left[0]} did not exit after SIGKILL")
        time.sleep(_POLL_SECONDS)


def _remove_empty(directory: str) -> bool:
    try:
        os.rmdir(directory)
    except FileNotFoundError:
        return True
    except OSError:  # EBUSY: not empty yet
        return False
    return True


def _put(path: str, text: bytes) -> None:
    """Write to a kernel file in half the time of `write_bytes`; a start needs nine such writes."""
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, text)
    finally:
        os.close(file)


def _pids(directory: str) -> list[int]:
    try:
        with open(f"{directory}/cgroup.procs", "rb") as listed:
            return [int(pid) for pid in listed.read().split()]
    except OSError:  # the group has been removed
        return []


def _field(text: bytes, name: bytes) -> int:
    for line in text.splitlines():
        key, _, value = line.partition(b" ")
        if key == name:
            return int(value)
    return 0
