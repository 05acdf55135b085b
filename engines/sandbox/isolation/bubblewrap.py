"""How a bot is wrapped: bubblewrap's arguments, and the limits of each process."""

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
# Files of /proc that tell of the host or of others on it, and that an ordinary uid may read; each is
# hidden where it exists. A cover costs 0.14 ms at every start.
_HIDDEN: Final = ("cmdline", "interrupts", "iomem", "ioports", "kallsyms", "key-users", "keys", "locks", "sched_debug",
                  "timer_list")
# Not bubblewrap's own --dev, which has a devpts: its terminals are counted for the whole host.
_DEVICES: Final = ("full", "null", "random", "urandom", "zero")
_DEV_LINKS: Final = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1",
                     "stderr": "/proc/self/fd/2"}
_USR_LINKS: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a sandbox shows besides the system's /usr.

    `bot` is the bot's directory, read-only. With `source` set instead, that is at /src, and /bot is an
    empty directory in memory, for a build. `memory` is where the file systems in memory are mounted.
    """

    memory: Path
    sdk: Path
    bot: Path | None = None
    source: Path | None = None


def file_systems(view: View, limits: Limits) -> dict[Path, int]:
    """Where file systems in memory must be mounted before bubblewrap starts, and of how many bytes."""
    found = {view.memory / "shm": limits.shm_bytes, view.memory / "tmp": limits.tmp_bytes}
    return found if view.source is None else {**found, view.memory / "bot": limits.tmp_bytes}


def arguments(view: View, *, seccomp: int, status: int) -> bytes:
    """bubblewrap's options, each ended by NUL; `seccomp` and `status` are file descriptors.

    They go through a pipe, since a command line can be read by everyone, the bot included.
    """
    options = [
        "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
        "--disable-userns", "--uid", _NOBODY, "--gid", _NOBODY, "--hostname", "bot",
        "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--clearenv", "--setenv", "PATH", PATH, "--setenv", "HOME", "/tmp", "--setenv", "LANG", "C.UTF-8",
        "--setenv", "PYTHONPATH", SDK_DIRECTORY,
        *_system(),
        # Nothing there is for a bot to write: by autogroup it could lower its own priority and look starved. Process 1
        # runs under the bot's uid: what writes to its memory is its master, and outlives the game.
        "--proc", "/proc", *_proc_covers(), "--tmpfs", "/proc/1", "--remount-ro", "/proc/1", "--remount-ro", "/proc",
        *_dev(), "--bind", str(view.memory / "shm"), "/dev/shm", "--bind", str(view.memory / "tmp"), "/tmp",
        "--ro-bind", str(view.sdk), SDK_DIRECTORY,
    ]
    if view.bot is not None:
        options += ["--ro-bind", str(view.bot), BOT_DIRECTORY]
    if view.source is not None:
        options += ["--ro-bind", str(view.source), SOURCE_DIRECTORY, "--bind", str(view.memory / "bot"), BOT_DIRECTORY]
    # The root and /dev are file systems in memory that only their mode protects: close them last.
    options += ["--chdir", BOT_DIRECTORY, "--remount-ro", "/dev", "--remount-ro", "/",
                "--json-status-fd", str(status), "--seccomp", str(seccomp)]
    return os.fsencode("\0".join([*options, ""]))


def resource_limits(limits: Limits, *, memory_counted: bool) -> dict[int, int]:
    """What each process may use, by the kernel's number for the resource.

    Not the address space: Node and Java reserve gigabytes that they never touch. Where no cgroup counts memory,
    a process that is denied some would only crash, so there is room for the watch to see that it took too much.
    """
    found = {
        resource.RLIMIT_NOFILE: limits.files, resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_CPU: limits.cpu_seconds, resource.RLIMIT_NPROC: limits.tasks + TASKS_OF_BUBBLEWRAP,
        resource.RLIMIT_MEMLOCK: 65_536, _RLIMIT_MSGQUEUE: 0,
        # Not 0: only 1 keeps the kernel from feeding a dump to a program that core_pattern names. The filter lets
        # nobody change it again.
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
    # Debian's commands lead through alternatives, its Java reads its settings under /etc.
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
def _proc_covers() -> tuple[str, ...]:
    options = list[str]()
    for name in _HIDDEN:
        if Path("/proc", name).exists():
            options += ["--ro-bind", "/dev/null", f"/proc/{name}"]
    return tuple(options)
