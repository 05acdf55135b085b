"""A gzip archive as a file to read from, decompressing no more than is asked for."""

import zlib
from typing import Final

from engines.sandbox.isolation.errors import ArchiveRefused

MAGIC: Final = b"\x1f\x8b"
_MAX_MEMBERS: Final = 8  # each is started anew with a copy of the rest


class GzipReader:
    """Reads `archive` up to `bound` decompressed bytes; what follows is as if it were not there.

    The standard library's reader takes as many members, and as long a header, as a stranger likes.
    """

    def __init__(self, archive: bytes, bound: int) -> None:
        self._rest = archive
        self._left = bound
        self._members = 0
        self._member = self._next_member()

    def read(self, size: int) -> bytes:
        """The next `size` bytes, fewer at the end. Raises ArchiveRefused for damage."""
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
                size = 0  # cut off
            parts.append(part)
            size -= len(part)
            self._left -= len(part)
        return b"".join(parts)

    def _next_member(self) -> "zlib._Decompress":
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise ArchiveRefused(f"the .tar.gz archive has more than {_MAX_MEMBERS} parts: pack it with plain gzip")
        return zlib.decompressobj(wbits=31)
