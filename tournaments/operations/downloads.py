"""The files of a release that the site offers for download: the author's kit, the wheel, the sources and the SBOM.

`manage.py web` builds them from the running code (docs/decisions/0071-downloads-and-api-reference.md), and writes
`SHA256SUMS` last. The pages only read them, and only if they belong to the site's own version and have the hashes that
are listed there.
"""

import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from django.conf import settings

log = logging.getLogger(__name__)
SUMS: Final = "SHA256SUMS"
# As `sha256sum` writes it, in text or binary mode.
_LINE: Final = re.compile(r"(?P<hash>[0-9a-f]{64}) [ *](?P<name>[^\s/\\]+)")
# The names by kind, in the order of the page; V stands for the version.
_NAMES: Final = {
    "kit": r"squarefield\.pyz",
    "wheel": r"squarefield-V-py3-none-any\.whl",
    "native": r"squarefield_native-V-[\w.]+-[\w.]+-[\w.]+\.whl",
    "source": r"squarefield(_native)?-V\.tar\.gz",
    "sbom": r"squarefield-V\.cdx\.json",
}
_MEDIA_TYPES: Final = {"kit": "application/zip", "wheel": "application/zip", "native": "application/zip",
                       "source": "application/gzip", "sbom": "application/vnd.cyclonedx+json"}
# Without these two, a directory is no release.
_REQUIRED: Final = {"kit", "wheel"}


@dataclass(frozen=True, slots=True)
class Download:
    """A file: its kind, its size in bytes, and its SHA-256 in hexadecimal digits."""

    path: Path
    kind: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def project(self) -> str:
        """The name by which pip installs the file; empty for files that pip does not install."""
        if self.kind not in {"wheel", "native", "source"}:
            return ""
        return "squarefield-native" if self.name.startswith("squarefield_native") else "squarefield"

    @property
    def media_type(self) -> str:
        return _MEDIA_TYPES[self.kind]


@dataclass(frozen=True, slots=True)
class Release:
    """The files of the site's version; none of them if they were not built, or if one is damaged."""

    version: str
    files: tuple[Download, ...] = ()

    def find(self, name: str) -> Download | None:
        """Return the file with that name, or None."""
        return next((file for file in self.files if file.name == name), None)

    def of_kind(self, kind: str) -> Download | None:
        """Return the first file of that kind, or None."""
        return next((file for file in self.files if file.kind == kind), None)

    @property
    def sums(self) -> str:
        """The hashes as `sha256sum --check` reads them."""
        return "".join(f"{file.sha256}  {file.name}\n" for file in self.files)


def directory() -> Path:
    """Return the directory of the release: the operator's, or one per version, because versions run side by side."""
    return Path(settings.DOWNLOADS or settings.VAR_DIR / "downloads" / settings.RELEASE)


def release() -> Release:
    """Return the release that the site serves."""
    place = directory()
    try:
        changed = (place / SUMS).stat().st_mtime_ns
    except OSError:
        return Release(settings.RELEASE)
    return _read(place, settings.RELEASE, changed)


# The time of the last build is part of the key, so that a new build is served without a restart.
@lru_cache(maxsize=4)
def _read(place: Path, version: str, changed: int) -> Release:  # noqa: ARG001 — a key of the cache
    try:
        lines = (place / SUMS).read_text(encoding="utf-8").splitlines()
        found = [_checked(place, version, *parts.group("name", "hash")) for line in lines
                 if (parts := _LINE.fullmatch(line))]
    except (OSError, ValueError) as reason:
        log.warning("downloads in %s cannot be served: %s", place, reason)
        return Release(version)
    files = sorted((file for file in found if file), key=lambda file: (list(_NAMES).index(file.kind), file.name))
    if not {file.kind for file in files} >= _REQUIRED:
        log.warning("downloads in %s are not those of version %s", place, version)
        return Release(version)
    return Release(version, tuple(files))


def _checked(place: Path, version: str, name: str, expected: str) -> Download | None:
    """Return the file, or None for an unknown name or another version. Raises ValueError for a wrong hash."""
    kind = next((kind for kind, pattern in _NAMES.items()
                 if re.fullmatch(pattern.replace("V", re.escape(version)), name)), None)
    if kind is None:
        return None
    content = (place / name).read_bytes()
    if sha256(content).hexdigest() != expected:
        raise ValueError(f"{name} does not have the hash in {SUMS}")
    return Download(place / name, kind, len(content), expected)
