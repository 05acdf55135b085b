"""squarefield.pyz: the kit for authors of bots as one file, which runs with Python alone."""

from pathlib import Path
from typing import Final

from engines.layout import files_of
from tournaments.setup.packaging.archives import zipped

NAME: Final = "squarefield.pyz"
_SHEBANG: Final = b"#!/usr/bin/env python3\n"
# Bots are programs of their own and import the package, so it must be in a directory. This text must also be readable
# for Python 3.6, which then says that it is too old.
_MAIN: Final = '''"""Unpacks the package `squarefield` once, to the user's cache, and runs its command."""

import sys

if sys.version_info < (3, 11):
    sys.exit("squarefield needs Python 3.11 or newer; this is Python %d.%d" % sys.version_info[:2])

import atexit
import os
import shutil
import stat
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path

ARCHIVE = Path(__file__).parent


def is_ours(place):
    """Return whether this is a directory of this user to which no one else can write."""
    try:
        found = place.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def is_complete(place, entries):
    """Return whether the directory has all files."""
    try:
        return all((place / entry.filename).stat().st_size == entry.file_size for entry in entries)
    except OSError:
        return False


def unpacked():
    """Return the directory with the package."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        entries = [entry for entry in archive.infolist() if entry.filename.startswith("squarefield/")]
        digest = sha256(b"".join(b"%d %08x" % (entry.file_size, entry.CRC) for entry in entries)).hexdigest()
        caches = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "squarefield")
        place = caches / ("pyz-" + digest[:20])
        if is_ours(caches) and is_ours(place) and is_complete(place, entries):
            return place
        try:
            caches.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not is_ours(caches):
                raise PermissionError(caches)
            work = Path(tempfile.mkdtemp(prefix="pyz-", dir=caches))
        except OSError:
            work = place = Path(tempfile.mkdtemp(prefix="squarefield-pyz-"))
            atexit.register(shutil.rmtree, place, ignore_errors=True)
        archive.extractall(work, entries)
    if work != place:
        shutil.rmtree(place, ignore_errors=True)
        try:
            work.rename(place)
        except OSError:  # another process was faster
            shutil.rmtree(work, ignore_errors=True)
    return place


if __name__ == "__main__":
    sys.path[0] = str(unpacked())
    from squarefield.__main__ import main

    sys.exit(main())
'''


def pyz(checkout: Path) -> tuple[str, bytes]:
    """Return the name and the contents of squarefield.pyz."""
    files = {"__main__.py": _MAIN.encode(), **files_of(checkout), "LICENSE": (checkout / "LICENSE").read_bytes()}
    return NAME, zipped(files, before=_SHEBANG)
