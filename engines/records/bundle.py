"""Reads and writes bundles: zip files with a manifest of sizes and SHA-256 hashes, regardless of their contents.

The same contents give the same bytes: names in the given order, no timestamps, canonical JSON. `manifest.json` is last:

    {"bundle": 1, "files": {"games.jsonl": {"size": 123, "sha256": "…"}, …}}
"""

import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_CHUNK: Final = 2**16
_LONGEST_LINE: Final = 2**26
# Of a file that is read as a whole: the manifest, event.json and results.csv.
_LARGEST: Final = 2**26
_MOST_DIGITS: Final = 19
JSON = dict[str, Any]


class BundleError(ValueError):
    """A file is not a bundle or was modified; `str()` says where and why."""


def json_bytes(value: Any) -> bytes:
    """Return canonical JSON: the same data gives the same bytes. Raises ValueError for nan and infinity."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode()


class BundleWriter:
    """Writes a bundle file by file: `add` each, then `close`. As a context manager, closes only without an error."""

    def __init__(self, target: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED)
        self._files: dict[str, JSON] = {}

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a file from its parts, which are never all in memory at once."""
        digest, size = sha256(), 0
        with self._zip.open(_entry(name), "w", force_zip64=True) as file:
            for chunk in chunks:
                digest.update(chunk)
                size += file.write(chunk)
        self._files[name] = {"size": size, "sha256": digest.hexdigest()}

    def close(self) -> None:
        """Write the manifest and finish the zip file."""
        self._zip.writestr(_entry(MANIFEST), json_bytes({"bundle": FORMAT, "files": self._files}))
        self._zip.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if kind is None:
            self.close()


class Bundle:
    """A bundle, checked against its manifest when it is opened. Raises BundleError."""

    def __init__(self, path: Path | str) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile) as error:
            raise BundleError(f"{path} cannot be opened as a zip file: {error}") from None
        self.files = self._manifest()
        self._check_names()
        for name, facts in self.files.items():
            self._check(name, facts)

    def json(self, name: str) -> Any:
        """Return the JSON value in a file. Raises BundleError."""
        return _parsed(self._whole(name), name)

    def lines(self, name: str) -> Iterator[tuple[int, Any]]:
        """Yield each line's number, from 1, and its JSON value. Raises BundleError."""
        with self._open(name) as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), start=1):
                yield number, _parsed(line, f"{name}, line {number}")

    def text_lines(self, name: str) -> list[str]:
        """Return the lines of a text file. Raises BundleError."""
        try:
            return self._whole(name).decode().splitlines()
        except UnicodeDecodeError as error:
            raise BundleError(f"{name} is not UTF-8: {error}") from None

    def close(self) -> None:
        """Close the zip file."""
        self._zip.close()

    def _whole(self, name: str) -> bytes:
        data = bytearray()
        for chunk in self._chunks(name):
            data += chunk
            if len(data) > _LARGEST:
                raise BundleError(f"{name} is too large: it may have {_LARGEST:,} bytes")
        return bytes(data)

    def _manifest(self) -> dict[str, JSON]:
        if MANIFEST not in self._zip.namelist():
            raise BundleError(f"the file has no {MANIFEST}: it is not a bundle, or the manifest was removed")
        manifest = self.json(MANIFEST)
        if not isinstance(manifest, dict) or manifest.get("bundle") != FORMAT:
            raise BundleError(f"{MANIFEST} is not the manifest of a bundle of format {FORMAT}")
        files = manifest.get("files")
        if not isinstance(files, dict) or not all(
                isinstance(facts, dict) and isinstance(facts.get("size"), int) and isinstance(facts.get("sha256"), str)
                for facts in files.values()):
            raise BundleError(f"{MANIFEST} does not give the size and SHA-256 of each file")
        return files

    def _check_names(self) -> None:
        names = self._zip.namelist()
        if len(set(names)) != len(names):
            raise BundleError("a file is in the bundle twice")
        missing, more = set(self.files) - set(names), set(names) - set(self.files) - {MANIFEST}
        if missing:
            raise BundleError(f"{min(missing)} is missing, but {MANIFEST} lists it")
        if more:
            raise BundleError(f"{min(more)} was added: {MANIFEST} does not list it")

    def _check(self, name: str, facts: JSON) -> None:
        digest, size = sha256(), 0
        for chunk in self._chunks(name):
            digest.update(chunk)
            size += len(chunk)
            if size > facts["size"]:
                break
        if size != facts["size"]:
            raise BundleError(f"{name} does not have {facts['size']:,} bytes, as {MANIFEST} says")
        if digest.hexdigest() != facts["sha256"]:
            raise BundleError(f"{name} was changed: its SHA-256 is {digest.hexdigest()}, "
                              f"but {MANIFEST} says {facts['sha256'][:64]}")

    def _open(self, name: str) -> IO[bytes]:
        try:
            return self._zip.open(name)
        except KeyError:
            raise BundleError(f"{name} is missing") from None
        except (OSError, NotImplementedError, RuntimeError, zipfile.BadZipFile) as error:
            raise BundleError(f"{name} cannot be read: {error}") from None

    def _chunks(self, name: str) -> Iterator[bytes]:
        with self._open(name) as file:
            while True:
                try:
                    chunk = file.read(_CHUNK)
                except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
                    raise BundleError(f"{name} is damaged: {error}") from None
                if not chunk:
                    return
                yield chunk


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    # The default depends on the operating system that writes the bundle.
    entry.create_system = 3
    return entry


def _parsed(data: bytes, where: str) -> Any:
    try:
        return json.loads(data, parse_constant=_number, parse_int=_number, parse_float=_number)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{where} is not JSON: {error}") from None


def _number(text: str) -> int | float:
    """Return the number, which must be finite and, if it is whole, have few digits."""
    value = int(text) if len(text) <= _MOST_DIGITS + 1 and text.lstrip("-").isdigit() else float(text)
    if not isfinite(value) or (isinstance(value, float) and text.lstrip("-").isdigit()):
        raise ValueError(f"the number {text[:40]} is out of range")
    return value
