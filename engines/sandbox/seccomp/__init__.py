"""The system call filters for bots: two exported filters and the script that generates them.

`standard.bpf` is used with a memory cgroup, `reduced.bpf` without one. They are for x86-64; the kernel
kills a process that makes a system call through the 32-bit or x32 interface.
"""

import platform
from pathlib import Path
from typing import Final

from engines.sandbox.isolation.errors import SandboxUnavailable

MACHINE: Final = "x86_64"
_HERE: Final = Path(__file__).parent


def filter_file(*, memory_counted: bool) -> Path:
    """Return the filter to load: the stricter one without a memory cgroup. Raises SandboxUnavailable."""
    if platform.machine() != MACHINE:
        raise SandboxUnavailable(f"the system call filter is for {MACHINE}, but this machine is "
                                 f"{platform.machine()}: run the workers on {MACHINE}")
    return _HERE / ("standard.bpf" if memory_counted else "reduced.bpf")
