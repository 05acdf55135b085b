"""Writes zip and tar files whose bytes depend only on the names and contents in them."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from typing import Final

# The earliest time that zip files can express: 1980-01-01.
_ZIP_TIME: Final = (1980, 1, 1, 0, 0, 0)
_TAR_TIME: Final = 315_532_800
_MODE: Final = 0o644
# Level 9 of zlib; the default may change between releases of Python.
_LEVEL: Final = 9


def zipped(files: Mapping[str, bytes], before: bytes = b"") -> bytes:
    """Return a zip file with these files in this order, after the bytes `before`."""
    target = io.BytesIO()
    target.write(before)
    with zipfile.ZipFile(target, "a" if before else "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as file:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | _MODE) << 16
            entry.create_system = 3  # the default depends on the operating system
            file.writestr(entry, content, compresslevel=_LEVEL)
    return target.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    """Return a tar file, compressed with gzip, with these files in this order."""
    target = io.BytesIO()
    with gzip.GzipFile("", "wb", compresslevel=_LEVEL, fileobj=target, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as file:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(content), _TAR_TIME, _MODE
            file.addfile(entry, io.BytesIO(content))
    return target.getvalue()
