"""Reads and unpacks untrusted archives.

Nothing here calls `extract`: the entries are read one by one, checked against one set of rules, and only then written
as new files. It therefore does not matter that some Pythons (Debian's 3.11.2) have no `tarfile.data_filter`. Nothing
is written before the whole archive has passed the checks.
"""

import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

from engines.sandbox.archives.gunzip import MAGIC, GzipReader
from engines.sandbox.archives.names import Names, check_name
from engines.sandbox.archives.tars import BLOCK, RawEntry, not_a_file, read_tar, too_large
from engines.sandbox.archives.zips import read_zip
from engines.sandbox.isolation.errors import ArchiveRefused

MAX_BYTES: Final = 64 * 1024 * 1024
MAX_ENTRIES: Final = 2000
_FIRST_DATE: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file (`data` is its content) or directory (`data` is None); the name is relative and has been checked."""

    name: str
    data: bytes | None
    executable: bool = False


def read_entries(archive: bytes, *, max_bytes: int = MAX_BYTES, max_entries: int = MAX_ENTRIES) -> list[Entry]:
    """Return every entry of a .zip, .tar or .tar.gz (detected by content), checked; directories precede their files.

    Raises ArchiveRefused, which names the first entry at fault.
    """
    names = Names(max_entries)
    entries: list[Entry] = []
    for raw_name, data, executable in _raw_entries(archive, max_bytes, max_entries):
        parts = check_name(raw_name)
        if not parts:
            continue  # "./", the archive's root
        entries += [Entry(directory, None) for directory in names.add(parts, is_directory=data is None)]
        if data is not None:
            entries.append(Entry("/".join(parts), data, executable))
    if all(entry.data is None for entry in entries):
        raise ArchiveRefused("the archive contains no files: pack the bot's directory with its bot.toml")
    return entries


def _raw_entries(archive: bytes, max_bytes: int, max_entries: int) -> Iterator[RawEntry]:
    if archive[:4] in (b"PK\3\4", b"PK\5\6"):
        return read_zip(archive, max_bytes)
    if archive[:2] == MAGIC:
        # Allow for headers, padding and long names in addition to the content.
        return read_tar(GzipReader(archive, max_bytes + 8 * BLOCK * (max_entries + 1)), max_bytes)
    if archive[257:262] == b"ustar":
        return read_tar(BytesIO(archive), max_bytes)
    raise ArchiveRefused("this is not a .zip, .tar or .tar.gz archive: pack the bot's directory as one of these")


def write_entries(entries: list[Entry], into: Path) -> None:
    """Write checked entries below `into`, which must not exist, readable by everyone.

    The owner's execute bit is the only permission that is preserved.
    """
    _make_directory(into)
    for entry in entries:
        path = into / entry.name
        if entry.data is None:
            _make_directory(path)
            continue
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(file, "wb") as out:
            out.write(entry.data)
            os.fchmod(file, 0o755 if entry.executable else 0o644)  # regardless of the umask


def _make_directory(path: Path) -> None:
    os.mkdir(path, 0o700)
    os.chmod(path, 0o755)


def pack(directory: Path, *, hidden: bool = False) -> bytes:
    """Return a reproducible zip of the directory. Raises ArchiveRefused.

    Dot-files and __pycache__ are left out unless `hidden`.
    """
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in sorted(directory.rglob("*")):
            name = path.relative_to(directory)
            if path.is_dir() or (not hidden and any(map(_is_hidden, name.parts))):
                continue
            if path.is_symlink() or not path.is_file():
                raise not_a_file(name.as_posix())
            info = zipfile.ZipInfo(name.as_posix(), _FIRST_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, regardless of the current platform
            info.external_attr = (0o100755 if path.stat().st_mode & 0o100 else 0o100644) << 16
            if path.stat().st_size > MAX_BYTES:
                raise too_large(name.as_posix(), MAX_BYTES)
            zipped.writestr(info, path.read_bytes())
    return buffer.getvalue()


def _is_hidden(part: str) -> bool:
    return part.startswith(".") or part == "__pycache__"
