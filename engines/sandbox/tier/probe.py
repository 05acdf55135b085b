"""Runs inside the sandbox and tests its isolation; prints the holes found as JSON {test: [holes]}.

This is a script, not a module: its only argument is the limits as JSON, and it imports nothing from this package.
"""

import ctypes
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

EXPECTED_ENVIRONMENT = {"PATH", "HOME", "LANG", "PYTHONPATH", "PWD", "LC_CTYPE"}
READ_ONLY = ("/", "/bot", "/dev", "/etc", "/opt", "/opt/squarefield", "/proc/sys", "/usr", "/usr/lib")
SECRET = ("/etc/shadow", "/etc/passwd", "/home", "/root", "/run", "/srv", "/sys", "/var", "/boot", "/mnt")
COUNTERS = ("/proc/loadavg", "/proc/meminfo", "/proc/vmstat", "/proc/sys/fs/file-nr", "/proc/pressure/cpu")
TERMINALS = ("/dev/ptmx", "/dev/pts", "/dev/tty")
FAMILIES = {"IPv4": 2, "IPv6": 10, "netlink": 16, "packet": 17, "crypto": 38, "VSOCK": 40, "XDP": 44}
# Numbers for x86-64, with arguments for which the call would succeed, or fail for a reason other than the filter.
CALLS = {"unshare": (272, 0x10000000), "mount": (165, 0, 0, 0, 0, 0), "ptrace": (101, 0x4206, 1, 0, 0),
         "keyctl": (250, 0, -3, 1), "bpf": (321, 0, 0, 0), "io_uring_setup": (425, 1, 0), "setns": (308, 0, 0),
         "userfaultfd": (323, 0), "perf_event_open": (298, 0, 0, 0, 0, 0), "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
         "pivot_root": (155, 0, 0), "sched_setaffinity": (203, 0, 8, 0), "flock": (73, 0, 2)}
EPERM, EACCES, ENOSYS = 1, 13, 38


def identity(_: dict[str, int]) -> Iterator[str]:
    """Check the uid, the capabilities and the seccomp filter."""
    status = dict(line.rstrip("\n").split(":\t", 1) for line in open("/proc/self/status") if ":\t" in line)
    for field, wanted in {"CapInh": 0, "CapPrm": 0, "CapEff": 0, "CapBnd": 0, "CapAmb": 0, "NoNewPrivs": 1,
                          "Seccomp": 2}.items():
        if int(status[field], 16) != wanted:
            yield f"{field} is {status[field]}"
    if 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()):
        yield "uid or gid 0"


def environment(_: dict[str, int]) -> Iterator[str]:
    """Check that the environment contains nothing from the worker."""
    yield from sorted(set(os.environ) - EXPECTED_ENVIRONMENT)
    try:
        if content := open("/proc/1/environ", "rb").read():
            yield f"/proc/1/environ has {len(content)} bytes"
    except OSError:
        pass


def files(limits: dict[str, int]) -> Iterator[str]:
    """Check that system directories are read-only, writable ones are limited, and the host's files are not visible."""
    for directory in READ_ONLY:
        try:
            os.close(os.open(f"{directory}/probe", os.O_CREAT | os.O_WRONLY))
            yield f"{directory} can be written"
        except OSError:
            pass
    for directory, size in (("/tmp", limits["tmp_bytes"]), ("/dev/shm", limits["shm_bytes"])):
        found = os.statvfs(directory)
        if found.f_blocks * found.f_frsize > size:
            yield f"{directory} has {found.f_blocks * found.f_frsize} bytes"
        if found.f_files > limits["inodes"]:
            yield f"{directory} has {found.f_files} inodes"
    yield from (f"{path} is there" for path in (*SECRET, *TERMINALS) if os.path.exists(path))


def counters(_: dict[str, int]) -> Iterator[str]:
    """Check that counters of the whole machine are not visible, by which bots could signal."""
    for path in COUNTERS:
        with suppress(OSError):
            if open(path, "rb").read():
                yield f"{path} can be read"


def sysctls(_: dict[str, int]) -> Iterator[str]:
    """Check that no sysctl can be opened for writing, nor the files with which a process could change itself."""
    sysctls = (f"{directory}/{name}" for directory, _, names in os.walk("/proc/sys") for name in names)
    for path in (*sysctls, "/proc/self/autogroup", "/proc/self/oom_score_adj", "/proc/self/mem"):
        try:
            os.close(os.open(path, os.O_WRONLY))
            yield f"{path} can be written"
        except OSError:
            pass


def sockets(_: dict[str, int]) -> Iterator[str]:
    """Check that sockets only connect processes of the sandbox."""
    for name, family in FAMILIES.items():
        try:
            socket.socket(family, socket.SOCK_DGRAM).close()
            yield name
        except OSError:
            pass


def calls(_: dict[str, int]) -> Iterator[str]:
    """Check that system calls that bots do not need are blocked."""
    libc = ctypes.CDLL(None, use_errno=True)
    for name, arguments in CALLS.items():
        result = libc.syscall(*(ctypes.c_long(argument) for argument in arguments))
        if result != -1 or ctypes.get_errno() not in (EPERM, EACCES, ENOSYS):
            yield name


def processes(_: dict[str, int]) -> Iterator[str]:
    """Check that only bubblewrap's process and this one are visible."""
    others = {int(name) for name in os.listdir("/proc") if name.isdigit()} - {1, os.getpid()}
    yield from (f"process {pid}" for pid in others)
    yield from (f"/proc/1/{name}" for name in os.listdir("/proc/1"))


def memory(limits: dict[str, int]) -> Iterator[str]:
    """Check that memfds, which no per-process limit counts, are only allowed with a memory cgroup."""
    try:
        os.close(os.memfd_create("probe"))
        if not limits["memory_counted"]:
            yield "memfd_create"
    except OSError:
        pass


def tasks(limits: dict[str, int]) -> Iterator[str]:
    """Check that forking stops at the limit."""
    children = []
    try:
        for _ in range(2 * limits["tasks"]):
            if (child := os.fork()) == 0:
                time.sleep(60)
                os._exit(0)
            children.append(child)
    except BlockingIOError:
        pass
    for child in children:
        os.kill(child, 9)
        os.waitpid(child, 0)
    if len(children) > limits["tasks"]:
        yield f"{len(children)} processes"


def main() -> None:
    """Run all tests in order."""
    limits = json.loads(sys.argv[1])
    tried = (identity, environment, files, counters, sysctls, sockets, calls, processes, memory, tasks)
    holes = {wall.__name__: list(wall(limits)) for wall in tried}
    json.dump({name: found for name, found in holes.items() if found}, sys.stdout)


if __name__ == "__main__":
    main()
