"""Reads zip archives with the standard library's reader, with limits on count, size and time."""

import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from stat import S_IFMT, S_ISDIR, S_ISREG
from typing import Final

from engines.rules.notation import quote
from engines.sandbox.archives.tars import RawEntry, not_a_file, too_large
from engines.sandbox.isolation.errors import ArchiveRefused

# Checked before the directory is read, which takes 8 µs per entry. No real bot has more entries than this.
MAX_SIGNATURES: Final = 10_000
_ENTRY: Final = b"PK\1\2"  # start of an entry's record in the directory
_CHUNK: Final = 256 * 1024
_RARE: Final = "uses an unsupported compression method: pack it with plain deflate"
_FAULTS: Final = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError,
                  RuntimeError, LookupError)  # all exceptions that `zipfile` raises for damaged archives


def read_zip(archive: bytes, max_bytes: int) -> Iterator[RawEntry]:
    """Yield the entries of the archive in their order. Raises ArchiveRefused."""
    if archive.count(_ENTRY) > MAX_SIGNATURES:
        raise ArchiveRefused(f"the archive has more than {MAX_SIGNATURES:,} entries "
                             f"(at {quote(_last_name(archive))}): leave out what the bot does not need")
    left, packed_left = max_bytes, len(archive)
    try:
        with zipfile.ZipFile(BytesIO(archive)) as zipped:
            for info in zipped.infolist():
                name = info.orig_filename  # the name as sent; `filename` is already sanitised
                if name.startswith("__MACOSX/"):
                    continue  # metadata added by the macOS Finder
                packed_left -= info.compress_size
                if packed_left < 0:
                    raise ArchiveRefused(f"the entry {quote(name)} overlaps another: pack the archive again")
                try:
                    data = _content(zipped, info, left, max_bytes)
                except ArchiveRefused:
                    raise
                except _FAULTS:
                    raise ArchiveRefused(f"the entry {quote(name)} is damaged: pack the archive and upload it "
                                         "again") from None
                left -= len(data or b"")
                yield name, data, bool(info.external_attr >> 16 & 0o100)
    except ArchiveRefused:
        raise
    except _FAULTS:
        raise ArchiveRefused("the .zip archive is damaged: pack it and upload it again") from None


def _last_name(archive: bytes) -> str:
    """Return the name in the last record of the directory, which is beyond the allowed number of entries."""
    record = archive.rindex(_ENTRY)
    length = int.from_bytes(archive[record + 28:record + 30], "little")
    return archive[record + 46:record + 46 + length].decode("utf-8", "replace")


def _content(zipped: zipfile.ZipFile, info: zipfile.ZipInfo, left: int, max_bytes: int) -> bytes | None:
    name, mode = info.orig_filename, info.external_attr >> 16
    if S_IFMT(mode) and not S_ISREG(mode) and not S_ISDIR(mode):
        raise not_a_file(name)
    if name.endswith("/"):
        return None
    if S_ISDIR(mode):
        raise ArchiveRefused(f"the entry {quote(name)} has the mode of a directory but the name of a file: "
                             "pack it again")
    if info.flag_bits & 0x1:
        raise ArchiveRefused(f"the entry {quote(name)} is encrypted: pack the archive without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # The other methods decompress a whole block at a time, without a limit on its size.
        raise ArchiveRefused(f"the entry {quote(name)} {_RARE}")
    if info.file_size > left:
        raise too_large(name, max_bytes)
    data = bytearray()
    with zipped.open(info) as file:
        while chunk := file.read(_CHUNK):
            data += chunk
            if len(data) > left:
                raise too_large(name, max_bytes)
    return bytes(data)
