"""Finds out where the worker may create cgroups and, in version 2, prepares that group."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from engines.sandbox.isolation.cgroups import Cgroups, CgroupsV1, CgroupsV2

# Version 2: a group that passes controllers to its children must have no processes, so workers move to this child.
WORKERS: Final = "squarefield.workers"
_NEEDED: Final = ("memory", "pids", "cpu")
_REMEDY: Final = "run the worker as root, or delegate this cgroup to its user (systemd: Delegate=yes)"


def find_cgroups(proc: Path = Path("/proc")) -> tuple[Cgroups | None, str]:
    """Return the place where groups can be created and "", or None and the reason."""
    own = _own_groups((proc / "self/cgroup").read_text())
    mounts = _mounts((proc / "self/mountinfo").read_text())
    if all(name in mounts and name in own for name in CgroupsV1.CONTROLLERS):
        parents = {name: _directory(mounts[name], own[name]) for name in CgroupsV1.CONTROLLERS}
        shut = [str(path) for path in parents.values() if not os.access(path, os.W_OK)]
        if shut:
            return None, f"there is no permission to make cgroups in {shut[0]}: {_REMEDY}"
        return CgroupsV1(parents), ""
    if "" in mounts and "" in own:
        return _version_2(_directory(mounts[""], own[""]))
    return None, "no cgroups are mounted here: mount version 2 at /sys/fs/cgroup, writable"


def _own_groups(text: str) -> dict[str, str]:
    """Return the path of our group for each controller; version 2 has the controller ''."""
    groups = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = path
    return groups


def _mounts(text: str) -> dict[str, tuple[Path, str]]:
    """Return the mount point and the group mounted there for each controller."""
    mounts = {}
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        root, point = before.split(" ")[3:5]
        if kind == "cgroup2":
            mounts[""] = (Path(point), root)
        elif kind == "cgroup":
            for option in options.split(" ")[-1].split(","):
                mounts[option] = (Path(point), root)
    return mounts


def _directory(mount: tuple[Path, str], group: str) -> Path:
    point, root = mount
    return point / os.path.relpath(group, root) if root != "/" else point / group.lstrip("/")


def _version_2(own: Path) -> tuple[Cgroups | None, str]:
    parent = own.parent if own.name == WORKERS else own
    try:
        missing = [name for name in _NEEDED if name not in (parent / "cgroup.controllers").read_text().split()]
        if missing:
            return None, (f"the cgroup {parent} has no {missing[0]} controller: delegate it as well (systemd: "
                          "Delegate=cpu memory pids)")
        _hand_down(parent)
    except OSError as fault:
        return None, f"the cgroup {parent} is not delegated to this user ({fault.strerror}): {_REMEDY}"
    return CgroupsV2(parent), ""


def _hand_down(parent: Path) -> None:
    """Enable the controllers that bots need for the children of `parent`, moving its processes to a child group."""
    handed = (parent / "cgroup.subtree_control").read_text().split()
    if all(name in handed for name in _NEEDED):
        return
    if (parent / "cgroup.type").exists():  # the root of the whole tree may have processes
        workers = parent / WORKERS
        workers.mkdir(exist_ok=True)
        for pid in (parent / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                (workers / "cgroup.procs").write_text(pid)
    (parent / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in _NEEDED))
