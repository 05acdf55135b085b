"""Parent cgroups for the suite's workers, so that any leftover group there belongs to this run."""

import os
from pathlib import Path

from engines.sandbox.isolation.cgroups import CgroupsV1, remove
from engines.sandbox.isolation.delegation import find_cgroups

_ENTER = 'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs"; shift; done; shift; exec "$@"'


class Groups:
    """The parent directories, and the command prefix that enters them. There are none without cgroups version 1."""

    def __init__(self) -> None:
        found, _ = find_cgroups()
        parents = found._parents.values() if isinstance(found, CgroupsV1) else []
        self.directories = [Path(parent, f"faults-{os.getpid()}") for parent in dict.fromkeys(parents)]
        for directory in self.directories:
            directory.mkdir(exist_ok=True)

    @property
    def prefix(self) -> list[str]:
        """Return the words to put before a command."""
        return ["sh", "-c", _ENTER, "sh", *map(str, self.directories), "--"] if self.directories else []

    def left(self) -> list[str]:
        """Return the bots' cgroups that exist at the moment."""
        return [str(group) for directory in self.directories for group in directory.iterdir() if group.is_dir()]

    def remove(self) -> None:
        """Remove the directories and the cgroups left in them."""
        remove(self.left())
        for directory in self.directories:
            directory.rmdir()
