"""Which system calls a bot may make: two exported filters and the script that made them.

`standard.bpf` goes with a memory cgroup, `reduced.bpf` without one. They are for x86-64; the kernel
kills a process that enters it by the 32-bit or x32 door.
"""

import platform
from pathlib import Path
from typing import Final

from engines.sandbox.isolation.errors import SandboxUnavailable

MACHINE: Final = "x86_64"
_HERE: Final = Path(__file__).parent


def filter_file(*, memory_counted: bool) -> Path:
    """The filter to load: the stricter one where no cgroup counts memory. Raises SandboxUnavailable."""
    if platform.machine() != MACHINE:
        raise SandboxUnavailable(f"the system call filter is made for {MACHINE}, and this machine is "
                                 f"{platform.machine()}: run the workers on {MACHINE}")
    return _HERE / ("standard.bpf" if memory_counted else "reduced.bpf")
