"""bubblewrap's arguments for a sandbox, and the resource limits of each process in it."""

import os
import resource
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from engines.sandbox.isolation.cgroups import TASKS_OF_BUBBLEWRAP
from engines.sandbox.isolation.limits import Limits

PATH: Final = "/usr/local/bin:/usr/bin:/bin:/usr/games"
SDK_DIRECTORY: Final = "/opt/squarefield"
BOT_DIRECTORY: Final = "/bot"
SOURCE_DIRECTORY: Final = "/src"
_NOBODY: Final = "65534"
_RLIMIT_MSGQUEUE: Final = 12  # not in the resource module
# Files in /proc that reveal details of the host or its other users to an ordinary uid, and those with counters of the
# whole machine, by which two bots could signal. Each one that exists is hidden, which adds 0.14 ms to every start. The
# option `subset=pid` of /proc would hide all of them, but bubblewrap mounts /proc without options.
_HIDDEN: Final = (
    "buddyinfo", "cgroups", "cmdline", "diskstats", "interrupts", "iomem", "ioports", "kallsyms", "key-users", "keys",
    "loadavg", "locks", "meminfo", "pagetypeinfo", "sched_debug", "schedstat", "slabinfo", "softirqs", "swaps",
    "timer_list", "vmstat", "zoneinfo",
)
# Directories in /proc that an empty one hides. Process 1 runs under the bot's uid: a bot that could write to its memory
# would control it and could outlive the game.
_EMPTIED: Final = ("1", "fs", "irq", "pressure", "sys")
# A bot's /proc/stat, a file at the top of the SDK: Node counts the cores there, and a bot may use one.
STAT_FILE: Final = "proc-stat"
STAT: Final = "".join(f"{core} 0 0 0 0 0 0 0 0 0 0\n" for core in ("cpu ", "cpu0"))
# bubblewrap's --dev is not used because it includes a devpts, whose terminals count towards a limit of the host.
_DEVICES: Final = ("full", "null", "random", "urandom", "zero")
_DEV_LINKS: Final = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1",
                     "stderr": "/proc/self/fd/2"}
_USR_LINKS: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The directories that are visible in a sandbox in addition to the system's /usr.

    `bot` is the bot's directory, read-only. For a build, `source` is set instead: it appears at /src, and /bot is an
    empty in-memory directory. `memory` is the directory where the in-memory file systems are mounted; it also has the
    directory `empty`.
    """

    memory: Path
    sdk: Path
    bot: Path | None = None
    source: Path | None = None


def file_systems(view: View, limits: Limits) -> dict[Path, int]:
    """Return the mount points of the in-memory file systems that bubblewrap needs, with their sizes in bytes."""
    found = {view.memory / "shm": limits.shm_bytes, view.memory / "tmp": limits.tmp_bytes}
    return found if view.source is None else {**found, view.memory / "bot": limits.tmp_bytes}


def arguments(view: View, *, seccomp: int, status: int) -> bytes:
    """Return bubblewrap's options, each terminated by NUL; `seccomp` and `status` are file descriptors.

    They are sent through a pipe, because everyone, including the bot, can read a command line.
    """
    options = [
        "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
        "--disable-userns", "--uid", _NOBODY, "--gid", _NOBODY, "--hostname", "bot",
        "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--clearenv", "--setenv", "PATH", PATH, "--setenv", "HOME", "/tmp", "--setenv", "LANG", "C.UTF-8",
        "--setenv", "PYTHONPATH", SDK_DIRECTORY,
        *_system(),
        # /proc must be read-only: through autogroup, a bot could lower its own priority and appear starved.
        "--proc", "/proc", *_proc_covers(view.memory / "empty"), "--ro-bind", str(view.sdk / STAT_FILE), "/proc/stat",
        "--remount-ro", "/proc",
        *_dev(), "--bind", str(view.memory / "shm"), "/dev/shm", "--bind", str(view.memory / "tmp"), "/tmp",
        "--ro-bind", str(view.sdk), SDK_DIRECTORY,
    ]
    if view.bot is not None:
        options += ["--ro-bind", str(view.bot), BOT_DIRECTORY]
    if view.source is not None:
        options += ["--ro-bind", str(view.source), SOURCE_DIRECTORY, "--bind", str(view.memory / "bot"), BOT_DIRECTORY]
    # The root and /dev are in-memory file systems protected only by their mode: make them read-only last.
    options += ["--chdir", BOT_DIRECTORY, "--remount-ro", "/dev", "--remount-ro", "/",
                "--json-status-fd", str(status), "--seccomp", str(seccomp)]
    return os.fsencode("\0".join([*options, ""]))


def resource_limits(limits: Limits, *, memory_counted: bool) -> dict[int, int]:
    """Return the limits of each process, by the kernel's number for the resource.

    The address space is not limited, because Node and Java reserve gigabytes that they never use. Without a memory
    cgroup, the data limit is twice the memory limit: at the limit itself a process would just crash, and the memory
    watch could not see that it exceeded its memory.
    """
    found = {
        resource.RLIMIT_NOFILE: limits.files, resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_CPU: limits.cpu_seconds, resource.RLIMIT_NPROC: limits.tasks + TASKS_OF_BUBBLEWRAP,
        resource.RLIMIT_MEMLOCK: 65_536, _RLIMIT_MSGQUEUE: 0,
        # Only 1, not 0, keeps the kernel from piping a dump to a program named in core_pattern. The seccomp filter
        # prevents bots from changing it.
        resource.RLIMIT_CORE: 1,
    }
    return found if memory_counted else {**found, resource.RLIMIT_DATA: 2 * limits.memory_bytes}


@cache
def _system() -> tuple[str, ...]:
    options = ["--ro-bind", "/usr", "/usr"]
    for name in _USR_LINKS:
        path = Path("/", name)
        if path.is_symlink():
            options += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    # Debian's commands are links through alternatives, and its Java reads its settings from /etc.
    etc = [Path("/etc/ld.so.cache"), Path("/etc/alternatives"), *sorted(Path("/etc").glob("java-*-openjdk"))]
    for path in etc:
        if path.exists():
            options += ["--ro-bind", str(path), str(path)]
    return tuple(options)


@cache
def _dev() -> tuple[str, ...]:
    options = ["--tmpfs", "/dev"]
    for name in _DEVICES:
        options += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in _DEV_LINKS.items():
        options += ["--symlink", target, f"/dev/{name}"]
    return tuple(options)


@cache
def _proc_covers(empty: Path) -> tuple[str, ...]:
    options = list[str]()
    for names, cover in ((_HIDDEN, Path("/dev/null")), (_EMPTIED, empty)):
        for name in names:
            if Path("/proc", name).exists():
                options += ["--ro-bind", str(cover), f"/proc/{name}"]
    return tuple(options)
