"""Temporary directories for processes that may be killed at any moment."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def scratch(purpose: str) -> Iterator[Path]:
    """Yield a directory for this process alone. Directories left by killed processes are removed first.

    They are recognised by a lock on the directory, which ends with its process.
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
    """Create and lock a directory. Retries if another process removes it before it is locked."""
    while True:
        directory = Path(tempfile.mkdtemp(prefix=prefix))
        with suppress(FileNotFoundError):
            lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if directory.exists():
                return directory, lock
            os.close(lock)


def _remove(directory: Path) -> None:
    """Remove the directory. Raises BlockingIOError while a process holds it, and OSError if another user owns it."""
    lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(directory)
    finally:
        os.close(lock)
