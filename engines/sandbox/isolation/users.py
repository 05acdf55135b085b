"""The user IDs of bots: one for each slot if the worker is root, otherwise the worker's own for all."""

import os
from pathlib import Path
from typing import Final

from engines.sandbox.isolation.errors import SandboxUnavailable
from engines.sandbox.isolation.slots import BASE_VARIABLE, COUNT, uid_base

# Bits of CapEff: to become the user of a slot, and to kill its processes.
_NEEDED: Final = {"KILL": 5, "SETGID": 6, "SETUID": 7}


def check_users(proc: Path = Path("/proc")) -> None:
    """Raise SandboxUnavailable if the worker is root but may not give bots other user IDs.

    Under root's own ID, a bot would have root's rights, so there is no weaker variant.
    """
    if os.geteuid() != 0:
        return
    status = (proc / "self/status").read_text()
    held = int(next(line for line in status.splitlines() if line.startswith("CapEff:")).split()[1], 16)
    missing = [name for name, bit in _NEEDED.items() if not held >> bit & 1]
    if missing:
        raise SandboxUnavailable(f"the worker is root without the capability {' and '.join(missing)}: add it "
                                 "(cap_add in Compose), or run the worker as an ordinary user")
    first = uid_base()
    for name in ("uid_map", "gid_map"):
        if not _maps((proc / "self" / name).read_text(), first, first + COUNT):
            raise SandboxUnavailable(f"the user IDs {first} to {first + COUNT - 1} do not exist in this container: set "
                                     f"{BASE_VARIABLE} to the first of {COUNT} that do and that nothing else uses")


def users() -> str:
    """Return in words which user IDs bots have."""
    if os.geteuid() == 0:
        return "each bot has a user ID of its own"
    return f"bots share the user ID {os.geteuid()} of the worker, each in namespaces and a cgroup of its own"


def _maps(table: str, first: int, end: int) -> bool:
    """Return whether one line of a uid_map or gid_map contains the whole range."""
    lines = [[int(word) for word in line.split()] for line in table.splitlines()]
    return any(start <= first and end <= start + count for start, _, count in lines)
