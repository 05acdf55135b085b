"""Who has a bot's pipe open, other than bubblewrap.

bubblewrap's two own processes keep stdin and stdout open as long as the bot lives, and handing them to the bot past
bubblewrap would take one more program at every start. A bot that closes one of them is therefore found by looking.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from engines.sandbox.processes.watch import descendants


def is_held(pipe: int, root: int) -> bool:
    """Whether a process below `root`, itself not included, has this pipe open; true where that cannot be told."""
    processes = descendants(root)
    wanted = os.fstat(pipe)
    try:
        if not processes or any(os.path.samestat(wanted, file) for pid in processes for file in _open_files(pid)):
            return True
    except PermissionError:
        return True
    # Where one came or went in the meantime, the pipe may have been handed on behind our back.
    return descendants(root) != processes


def _open_files(pid: int) -> Iterator[os.stat_result]:
    """The files of a process, its main thread's first: others may have files of their own, or outlive it."""
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for file in (task / "fd").iterdir():
                yield file.stat()
    except (FileNotFoundError, ProcessLookupError):  # gone in the meantime: the caller counts again
        return
