"""Detects whether a process other than bubblewrap still has a bot's pipe open.

bubblewrap's own two processes keep stdin and stdout open as long as the bot lives, and passing them to the bot without
bubblewrap would need one more program at every start. The open files of the processes show whether a bot closed one.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from engines.sandbox.processes.watch import descendants


def is_held(pipe: int, root: int) -> bool:
    """Return whether a process below `root`, excluding `root`, has this pipe open; True if this is not known."""
    processes = descendants(root)
    wanted = os.fstat(pipe)
    try:
        if not processes or any(os.path.samestat(wanted, file) for pid in processes for file in _open_files(pid)):
            return True
    except PermissionError:
        return True
    # If a process started or exited in the meantime, the pipe may have been passed on unnoticed.
    return descendants(root) != processes


def _open_files(pid: int) -> Iterator[os.stat_result]:
    """Yield the open files of all threads of a process: a thread may have its own files, or outlive the main thread."""
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for file in (task / "fd").iterdir():
                yield file.stat()
    except (FileNotFoundError, ProcessLookupError):  # it has exited; the caller lists the processes again
        return
