"""A bounded gzip reader that decompresses no more than requested."""

import zlib
from typing import Final

from engines.sandbox.isolation.errors import ArchiveRefused

MAGIC: Final = b"\x1f\x8b"
_MAX_MEMBERS: Final = 8  # starting each member copies the rest of the archive


class GzipReader:
    """Reads `archive` up to `bound` decompressed bytes and ignores the rest.

    The standard library's reader limits neither the number of members nor the length of a header.
    """

    def __init__(self, archive: bytes, bound: int) -> None:
        self._rest = archive
        self._left = bound
        self._members = 0
        self._member = self._next_member()

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, or fewer at the end. Raises ArchiveRefused if the archive is damaged."""
        parts = []
        size = min(size, self._left)
        while size > 0:
            try:
                part = self._member.decompress(self._rest, size)
            except zlib.error:
                raise ArchiveRefused("the .tar.gz archive is damaged: pack it and upload it again") from None
            self._rest = self._member.unconsumed_tail
            if self._member.eof:
                self._rest = self._member.unused_data
                if self._rest[:2] != MAGIC:
                    size = len(part)
                else:
                    self._member = self._next_member()
            elif not part:
                size = 0  # truncated
            parts.append(part)
            size -= len(part)
            self._left -= len(part)
        return b"".join(parts)

    def _next_member(self) -> "zlib._Decompress":
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise ArchiveRefused(f"the .tar.gz archive has more than {_MAX_MEMBERS} parts: pack it with plain gzip")
        return zlib.decompressobj(wbits=31)
