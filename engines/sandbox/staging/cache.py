"""The size limit of staged builds: the least recently used builds are removed first, but none that are in use.

The modification time of a build's stage.json is the time of its last use. A worker that runs a bot holds a shared lock
on that file, and a worker that removes the build needs an exclusive lock, so several workers can do both at any time.
"""

import fcntl
import json
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

from engines.sandbox.isolation.errors import SandboxError, SandboxUnavailable

LIMIT_VARIABLE: Final = "SQUAREFIELD_CACHE_BYTES"
DEFAULT_LIMIT: Final = 2 * 2**30
FACTS: Final = "stage.json"
# A build is not locked between being found and the start of its bot; a worker needs milliseconds for that.
GRACE_SECONDS: Final = 60.0


def cache_limit() -> int:
    """Return the size limit of staged builds in bytes, from the environment. Raises SandboxUnavailable if invalid."""
    text = os.environ.get(LIMIT_VARIABLE, str(DEFAULT_LIMIT))
    if not text.isascii() or not text.isdigit():
        raise SandboxUnavailable(f"{LIMIT_VARIABLE} must be a number of bytes, such as {DEFAULT_LIMIT}, not {text!r}")
    return int(text)


class Hold:
    """A lock that keeps a build in use until `release`."""

    def __init__(self, file: int) -> None:
        self._file = file

    def release(self) -> None:
        """Record the end of the use and release the lock."""
        with suppress(FileNotFoundError):
            os.utime(self._file)
        os.close(self._file)


class BuildCache:
    """The directory of staged builds: `<key>/bot` and next to it stage.json, whose `files` maps names to sizes."""

    def __init__(self, builds: Path, staging: Path, limit: int) -> None:
        self._builds = builds
        self._staging = staging
        self.limit = limit

    def touch(self, place: Path) -> None:
        """Record that a build was found and is about to be used."""
        with suppress(FileNotFoundError):
            os.utime(place / FACTS)

    def hold(self, bot: Path) -> Hold | None:
        """Protect the build with this bot's files from removal; return None if they are not part of a staged build.

        Raises SandboxError if the build has just been removed.
        """
        place = bot.parent
        if place.parent != self._builds:
            return None
        try:
            file = os.open(place / FACTS, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise SandboxError(f"the build at {place} was removed: is the disk being cleaned?") from None
        fcntl.flock(file, fcntl.LOCK_SH)
        hold = Hold(file)
        if not _is_at(file, place / FACTS):
            hold.release()
            raise SandboxError(f"the build at {place} was removed because the cache is full: raise {LIMIT_VARIABLE}")
        return hold

    def trim(self) -> int:
        """Remove builds until the rest is within the limit or in use. Return the number removed."""
        found = sorted(filter(None, map(_last_use, self._builds.iterdir())))
        excess = sum(size for _, size, _ in found) - self.limit
        removed = 0
        for used_at, size, place in found:
            if excess <= 0 or used_at > time.time() - GRACE_SECONDS:
                break
            if self._remove(place):
                excess -= size
                removed += 1
        return removed

    def _remove(self, place: Path) -> bool:
        try:
            file = os.open(place / FACTS, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _is_at(file, place / FACTS) or os.fstat(file).st_mtime > time.time() - GRACE_SECONDS:
                return False
            # Move it away first, so that no worker finds a partly deleted build.
            removed = self._staging / f"removed-{token_hex(8)}"
            place.rename(removed)
        except BlockingIOError:
            return False
        finally:
            os.close(file)
        shutil.rmtree(removed, ignore_errors=True)
        return True


def _last_use(place: Path) -> tuple[float, int, Path] | None:
    """Return the time of a build's last use, the bytes of its files, and its place; None if it is being removed."""
    try:
        used_at = (place / FACTS).stat().st_mtime
        return used_at, sum(json.loads((place / FACTS).read_text())["files"].values()), place
    except FileNotFoundError:
        return None


def _is_at(file: int, path: Path) -> bool:
    """Return whether the open file is still the one at this path."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
