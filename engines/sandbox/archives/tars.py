"""A small reader for tar archives.

The standard library's reader parses headers with patterns and recursion that a crafted archive can
keep busy for minutes (CVE-2024-6232, not fixed in Debian's 3.11.2). This one supports ustar, GNU long
names and the `path` and `size` of pax headers, and rejects every other kind of entry, naming the entry.
"""

from collections.abc import Iterator
from typing import Final, Protocol

from engines.rules.notation import quote
from engines.sandbox.isolation.errors import ArchiveRefused

BLOCK: Final = 512
_MAX_HEADER_BYTES: Final = 64 * 1024
_FILES: Final = b"0\0"
_DIRECTORY, _LONG_NAME, _PAX, _PAX_GLOBAL = b"5", b"L", b"x", b"g"
_DAMAGED: Final = "the tar archive is damaged or truncated: pack it and upload it again"

RawEntry = tuple[str, bytes | None, bool]
"""The name as sent, the content (None for a directory), and whether the owner may execute it."""


class Readable(Protocol):
    """A source of bytes; it returns fewer bytes than requested at the end."""

    def read(self, size: int, /) -> bytes: ...


def too_large(name: str, max_bytes: int) -> ArchiveRefused:
    """Return the error for an archive that unpacks to too many bytes; `name` is where the limit was reached."""
    return ArchiveRefused(f"the archive unpacks to more than {max_bytes // 1024 // 1024} MB (at {quote(name)}): "
                          "leave out what the bot does not need")


def not_a_file(name: str) -> ArchiveRefused:
    """Return the error for links, devices and pipes."""
    return ArchiveRefused(f"the entry {quote(name)} is neither a file nor a directory: "
                          "links, devices and pipes are not accepted, so include the file itself")


def read_tar(archive: Readable, max_bytes: int) -> Iterator[RawEntry]:
    """Yield the entries of the archive in their order. Raises ArchiveRefused."""
    left = max_bytes
    long_name: str | None = None
    pax: dict[bytes, bytes] = {}
    while (header := archive.read(BLOCK)).strip(b"\0"):
        kind = _kind(header)
        name = long_name or _text(pax[b"path"] if b"path" in pax else _short_name(header))
        size = _size(header, pax)
        if size > (left if kind in _FILES else _MAX_HEADER_BYTES):
            raise too_large(name, max_bytes)
        content = archive.read(size)
        if len(content) < size or len(archive.read(-size % BLOCK)) < -size % BLOCK:
            raise ArchiveRefused(_DAMAGED)
        if kind == _LONG_NAME:
            long_name = _text(content.rstrip(b"\0"))
        elif kind == _PAX:
            pax = _pax_records(content)
        elif kind != _PAX_GLOBAL:  # git archive stores its commit in one
            if kind == _DIRECTORY:
                yield name, None, False
            elif kind in _FILES:
                left -= size
                # Before ustar, a directory was a file with a name ending in a slash.
                yield name, None if name.endswith("/") else content, bool(_number(header[100:108]) & 0o100)
            else:
                raise not_a_file(name)
            long_name, pax = None, {}
    if not header:
        raise ArchiveRefused(_DAMAGED)  # a complete archive ends with blocks of zeros


def _kind(header: bytes) -> bytes:
    checksum = sum(header) - sum(header[148:156]) + 8 * ord(" ")
    if len(header) < BLOCK or checksum != _number(header[148:156]):
        raise ArchiveRefused(_DAMAGED)
    return header[156:157]


def _short_name(header: bytes) -> bytes:
    name, prefix = header[:100].split(b"\0")[0], header[345:500].split(b"\0")[0]
    return prefix + b"/" + name if prefix and header[257:263] == b"ustar\0" else name


def _size(header: bytes, pax: dict[bytes, bytes]) -> int:
    if b"size" not in pax or header[156:157] in (_PAX, _PAX_GLOBAL, _LONG_NAME):
        return _number(header[124:136])
    if not pax[b"size"].isdigit() or len(pax[b"size"]) > 20:
        raise ArchiveRefused(_DAMAGED)
    return int(pax[b"size"])


def _number(field: bytes) -> int:
    digits = field.strip(b" \0")
    if digits.strip(b"01234567"):
        raise ArchiveRefused(_DAMAGED)
    return int(digits or b"0", 8)


def _pax_records(content: bytes) -> dict[bytes, bytes]:
    """Parse records of the form `length key=value` plus a line feed; the length is the length of the whole record."""
    records = {}
    while content:
        length, _, _ = content[:10].partition(b" ")
        if not length.isdigit() or not len(length) + 3 <= int(length) <= len(content):
            raise ArchiveRefused(_DAMAGED)
        record, content = content[len(length) + 1:int(length)], content[int(length):]
        key, equals, value = record[:-1].partition(b"=")
        if not equals or record[-1:] != b"\n":
            raise ArchiveRefused(_DAMAGED)
        records[key] = value
    return records


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise ArchiveRefused(f"the entry {quote(name.decode('latin-1'))} has a name that is not UTF-8: "
                             "rename it") from None
