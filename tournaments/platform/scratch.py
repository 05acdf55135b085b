"""Temporary directories of processes that may be killed at any moment."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def scratch(purpose: str) -> Iterator[Path]:
    """A directory of this process alone until the context ends. Those that killed processes left are removed first.

    A lock on the directory, which ends with its process, tells which these are.
    """
    prefix = f"squarefield-{purpose}-"
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):
            _remove(left)
    directory, lock = _take(prefix)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        os.close(lock)


def _take(prefix: str) -> tuple[Path, int]:
    """A new directory, and the lock on it. Another process may take it for a killed one's before it is locked."""
    while True:
        directory = Path(tempfile.mkdtemp(prefix=prefix))
        with suppress(FileNotFoundError):
            lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if directory.exists():
                return directory, lock
            os.close(lock)


def _remove(directory: Path) -> None:
    """Remove the directory. Raises BlockingIOError while a process holds it, and OSError for somebody else's."""
    lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(directory)
    finally:
        os.close(lock)
