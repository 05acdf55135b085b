"""Strangers' archives, read without trusting a byte of them.

Nothing here calls `extract`: the entries are read one by one, checked against one set of rules, and
only then written as new files. So it does not matter that some Pythons (Debian's 3.11.2) have no
`tarfile.data_filter`. Nothing is executed, and nothing is written before the whole archive has passed.
"""

import os
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from stat import S_IFMT, S_ISDIR, S_ISREG
from typing import Final

from engines.notation import quote
from engines.sandbox.errors import ArchiveRefused
from engines.sandbox.tar import BLOCK, read_tar

MAX_BYTES: Final = 64 * 1024 * 1024
MAX_ENTRIES: Final = 2000
MAX_PART_BYTES: Final = 200
MAX_NAME_BYTES: Final = 500
MAX_DEPTH: Final = 16
# Signatures of zip directory entries, counted before the directory is read: more than this is no bot.
MAX_ZIP_SIGNATURES: Final = 10_000
_ZIP_CHUNK: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """One file (`data` is its content) or directory (`data` is None), its name checked and made relative."""

    name: str
    data: bytes | None
    executable: bool = False


def unpack(archive: bytes, into: Path, *, max_bytes: int = MAX_BYTES, max_entries: int = MAX_ENTRIES) -> None:
    """Write the archive's files into the new directory `into`, readable by everyone. Raises ArchiveRefused.

    Of the permissions only the owner's execute bit is kept. `into` must not exist.
    """
    entries = read_entries(archive, max_bytes=max_bytes, max_entries=max_entries)
    write_entries(entries, into)


def write_entries(entries: list[Entry], into: Path) -> None:
    """Write checked entries below `into`, which must not exist; parents come before what they hold."""
    _make_directory(into)
    for entry in entries:
        path = into / entry.name
        if entry.data is None:
            _make_directory(path)
            continue
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(file, "wb", buffering=0) as out:
            view = memoryview(entry.data)
            while view:
                view = view[out.write(view):]
            os.fchmod(file, 0o755 if entry.executable else 0o644)  # whatever the umask is


def _make_directory(path: Path) -> None:
    os.mkdir(path, 0o700)
    os.chmod(path, 0o755)


def read_entries(archive: bytes, *, max_bytes: int = MAX_BYTES, max_entries: int = MAX_ENTRIES) -> list[Entry]:
    """Every entry of a .zip, .tar or .tar.gz (told by content), checked; directories are made explicit.

    Raises ArchiveRefused, which names the first entry at fault.
    """
    names = _Names(max_entries)
    entries: list[Entry] = []
    left = max_bytes
    for raw_name, data, executable in _raw_entries(archive, max_bytes, max_entries):
        parts = names.check(raw_name)
        if not parts:
            continue
        entries += [Entry(parent, None) for parent in names.add(parts, is_directory=data is None)]
        if data is not None:
            left -= len(data)
            if left < 0:
                raise too_large(raw_name, max_bytes)
            entries.append(Entry("/".join(parts), data, executable))
    if not any(entry.data is not None for entry in entries):
        raise ArchiveRefused("the archive holds no files: pack the bot's directory with its bot.toml")
    return entries


def too_large(name: str, max_bytes: int) -> ArchiveRefused:
    """The refusal of an archive that unpacks to more than it may; `name` is where the limit was met."""
    return ArchiveRefused(f"the archive unpacks to more than {max_bytes // 1024 // 1024} MB (at {quote(name)}): "
                          "leave out what the bot does not need")


RawEntry = tuple[str, bytes | None, bool]


def _raw_entries(archive: bytes, max_bytes: int, max_entries: int) -> Iterator[RawEntry]:
    if archive[:4] in (b"PK\3\4", b"PK\5\6"):
        return _read_zip(archive, max_bytes)
    # A header and the padding of every entry, and long names, come on top of the content.
    bound = max_bytes + 4 * BLOCK * (max_entries + 1) + 20 * BLOCK
    if archive[:2] == b"\x1f\x8b":
        return read_tar(_gunzip(archive, bound), max_bytes)
    if archive[257:262] == b"ustar" and len(archive) >= BLOCK:
        return read_tar(archive, max_bytes)
    raise ArchiveRefused("this is not a .zip, .tar or .tar.gz archive: pack the bot's directory as one of these")


def _gunzip(archive: bytes, bound: int) -> bytes:
    """At most `bound` bytes of what the archive holds; the tar reader names the entry that was cut."""
    out, rest = bytearray(), archive
    try:
        while rest[:2] == b"\x1f\x8b" and len(out) < bound:
            member = zlib.decompressobj(wbits=31)
            out += member.decompress(rest, bound - len(out))
            if not member.eof:
                if len(out) < bound:
                    raise ArchiveRefused("the .tar.gz archive ends too early: upload it again")
                break
            rest = member.unused_data
    except zlib.error:
        raise ArchiveRefused("the .tar.gz archive is damaged: pack it and upload it again") from None
    return bytes(out)


def _read_zip(archive: bytes, max_bytes: int) -> Iterator[RawEntry]:
    if archive.count(b"PK\1\2") > MAX_ZIP_SIGNATURES:
        raise ArchiveRefused(f"the archive has more than {MAX_ZIP_SIGNATURES:,} entries: "
                             "leave out what the bot does not need")
    left = max_bytes
    try:
        with zipfile.ZipFile(BytesIO(archive)) as zipped:
            for info in zipped.infolist():
                name = info.orig_filename  # `filename` has been mended already; we want what was sent
                if name.startswith("__MACOSX/"):
                    continue  # the Finder's own notes beside the files
                data = _read_zip_entry(zipped, info, left, max_bytes)
                left -= len(data or b"")
                yield name, data, bool(info.external_attr >> 16 & 0o100)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as fault:
        if isinstance(fault, ArchiveRefused):
            raise
        raise ArchiveRefused("the .zip archive is damaged: pack it and upload it again") from None


def _read_zip_entry(zipped: zipfile.ZipFile, info: zipfile.ZipInfo, left: int, max_bytes: int) -> bytes | None:
    name, mode = info.orig_filename, info.external_attr >> 16
    if S_IFMT(mode) and not S_ISREG(mode) and not S_ISDIR(mode):
        raise not_a_file(name)
    if name.endswith("/"):
        return None
    if S_ISDIR(mode):
        raise ArchiveRefused(f"the entry {quote(name)} is a directory by its mode and a file by its name: pack it anew")
    if info.flag_bits & 0x1:
        raise ArchiveRefused(f"the entry {quote(name)} is encrypted: pack the archive without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # The other methods decompress a whole block at a time, however large it gets.
        raise ArchiveRefused(f"the entry {quote(name)} is compressed in a rare way: pack it with plain deflate")
    if info.file_size > left:
        raise too_large(name, max_bytes)
    data = bytearray()
    with zipped.open(info) as file:
        while chunk := file.read(_ZIP_CHUNK):
            data += chunk
            if len(data) > left:
                raise too_large(name, max_bytes)
    return bytes(data)


def not_a_file(name: str) -> ArchiveRefused:
    """The refusal of links, devices and pipes."""
    return ArchiveRefused(f"the entry {quote(name)} is neither a file nor a directory: "
                          "links, devices and pipes are not accepted, so put the file itself there")


class _Names:
    """The names met so far, so that no two can be the same file on any file system."""

    def __init__(self, max_entries: int) -> None:
        self._max_entries = max_entries
        self._seen: dict[str, tuple[str, bool]] = {}

    def check(self, name: str) -> tuple[str, ...]:
        """The parts of a relative, printable name, or () for the archive's own root. Raises ArchiveRefused."""
        shown = quote(name)
        if not name or not name.isprintable():
            raise ArchiveRefused(f"the entry {shown} has an empty name or unprintable characters: rename it")
        if "\\" in name:
            raise ArchiveRefused(f"the entry {shown} has a backslash in its name: separate directories with /")
        if name.startswith("/") or name[1:2] == ":":
            raise ArchiveRefused(f"the entry {shown} has an absolute name: pack names relative to the bot's directory")
        parts = tuple(part for part in name.split("/") if part not in ("", "."))
        if ".." in parts:
            raise ArchiveRefused(f"the entry {shown} leads out of the archive: names must not contain '..'")
        if len(parts) > MAX_DEPTH:
            raise ArchiveRefused(f"the entry {shown} lies more than {MAX_DEPTH} directories deep: pack it flatter")
        if len(name.encode()) > MAX_NAME_BYTES or any(len(part.encode()) > MAX_PART_BYTES for part in parts):
            raise ArchiveRefused(f"the entry {shown} has a name longer than {MAX_PART_BYTES} bytes "
                                 f"({MAX_NAME_BYTES} with its directories): shorten it")
        return parts

    def add(self, parts: tuple[str, ...], *, is_directory: bool) -> list[str]:
        """Take note of a name; returns the directories on its way that are new. Raises ArchiveRefused."""
        new = []
        for length in range(1, len(parts) + 1):
            name, wants_directory = "/".join(parts[:length]), length < len(parts) or is_directory
            key = unicodedata.normalize("NFC", name).casefold()
            earlier = self._seen.setdefault(key, (name, wants_directory))
            if len(self._seen) > self._max_entries:
                raise ArchiveRefused(f"the archive has more than {self._max_entries:,} files and directories "
                                     f"(at {quote(name)}): leave out what the bot does not need")
            if earlier[0] != name:
                raise ArchiveRefused(f"the entries {quote(earlier[0])} and {quote(name)} are alike but for case: "
                                     "rename one of them")
            if earlier[1] != wants_directory:
                raise ArchiveRefused(f"the entry {quote(name)} is both a file and a directory: rename one of them")
            is_new = earlier == (name, wants_directory) and name not in self._known
            if not is_new and not wants_directory:
                raise ArchiveRefused(f"the entry {quote(name)} is there twice: keep one of them")
            if is_new:
                self._known.add(name)
                if wants_directory:
                    new.append(name)
        return new
