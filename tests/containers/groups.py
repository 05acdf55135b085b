"""The cgroups of all containers; they have one parent, named after the run's scratch directory."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_MOUNT: Final = Path("/sys/fs/cgroup")


def thaw(parent: str) -> None:
    """Let bots die that were frozen while it was not their turn.

    On version 1, a frozen process dies only once it is thawed, and a container ends only once all its processes are
    dead. Version 2 needs no such help.
    """
    # A bot that ends at this moment takes its group along: `walk` and `suppress` pass over it.
    for group, _, _ in os.walk(_MOUNT / "freezer" / parent):
        with suppress(OSError):
            Path(group, "freezer.state").write_text("THAWED")


def remove(parent: str) -> None:
    """Remove the cgroups; their processes are dead."""
    for tree in (*_MOUNT.glob(f"*/{parent}"), *_MOUNT.glob(parent)):
        for group in (*sorted((path for path in tree.rglob("*") if path.is_dir()), reverse=True), tree):
            with suppress(OSError):
                group.rmdir()
