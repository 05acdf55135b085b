"""The bound on staged builds: those that were not used for the longest time are removed first, and none in use.

When a build was last used, the modification time of its stage.json says; who runs a bot of it holds a shared lock on
that file. Whoever removes it needs the lock for itself alone, so several workers may do both at any time.
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
# Between finding a build and starting a bot of it nobody holds it; a worker needs milliseconds for that.
GRACE_SECONDS: Final = 60.0


def cache_limit() -> int:
    """How many bytes of staged builds to keep, from the environment. Raises SandboxUnavailable for no such number."""
    text = os.environ.get(LIMIT_VARIABLE, str(DEFAULT_LIMIT))
    if not text.isascii() or not text.isdigit():
        raise SandboxUnavailable(f"{LIMIT_VARIABLE} must be a number of bytes, such as {DEFAULT_LIMIT}, not {text!r}")
    return int(text)


class Hold:
    """A build that is in use until `release`."""

    def __init__(self, file: int) -> None:
        self._file = file

    def release(self) -> None:
        """It was in use until now."""
        with suppress(FileNotFoundError):
            os.utime(self._file)
        os.close(self._file)


class BuildCache:
    """The directory of staged builds: `<key>/bot` and beside it stage.json, whose `files` maps names to sizes."""

    def __init__(self, builds: Path, staging: Path, limit: int) -> None:
        self._builds = builds
        self._staging = staging
        self.limit = limit

    def touch(self, place: Path) -> None:
        """Note that a build was found, and is about to be used."""
        with suppress(FileNotFoundError):
            os.utime(place / FACTS)

    def hold(self, bot: Path) -> Hold | None:
        """Keep the build with this bot's files from being removed; None for files that are no staged build's.

        Raises SandboxError when it was removed a moment ago.
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
            raise SandboxError(f"the build at {place} was removed, since the cache is full: raise {LIMIT_VARIABLE}")
        return hold

    def trim(self) -> int:
        """Remove builds until the rest is within the limit, or in use; returns how many."""
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
            # Out of sight first: nobody may find half of it.
            grave = self._staging / f"removed-{token_hex(8)}"
            place.rename(grave)
        except BlockingIOError:
            return False
        finally:
            os.close(file)
        shutil.rmtree(grave, ignore_errors=True)
        return True


def _last_use(place: Path) -> tuple[float, int, Path] | None:
    """When a build was last used, and the bytes of its files; None for one that is being removed."""
    try:
        used_at = (place / FACTS).stat().st_mtime
        return used_at, sum(json.loads((place / FACTS).read_text())["files"].values()), place
    except FileNotFoundError:
        return None


def _is_at(file: int, path: Path) -> bool:
    """Whether the open file is still the one at this path."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
