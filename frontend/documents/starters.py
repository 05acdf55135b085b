"""Starter kits: the files that `squarefield new` creates, as downloadable archives."""

import io
import zipfile
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Final

from tournaments.kit.new import LANGUAGES as DIRECTORIES
from tournaments.kit.new import starter

_NAMES: Final = {"python": "Python", "c++": "C++", "java": "Java", "javascript": "JavaScript", "rust": "Rust",
                 "go": "Go"}
# By directory name: URLs cannot contain the + of "c++".
LANGUAGES: Final = {directory: _NAMES[language] for language, directory in DIRECTORIES.items()}
# The earliest time that zip files can store. A fixed time makes archives of the same files identical.
_THEN: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Kit:
    """A language's starter kit: a zip file, its file name, and its ETag."""

    filename: str
    archive: bytes
    etag: str


@cache
def kit(word: str) -> Kit | None:
    """The starter kit whose directory is `word`, or None."""
    language = next((language for language, directory in DIRECTORIES.items() if directory == word), None)
    if language is None:
        return None
    name = f"{word}-starter"
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for filename, text in starter(language, name).items():
            entry = zipfile.ZipInfo(f"{name}/{filename}", _THEN)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, text)
    content = target.getvalue()
    return Kit(f"{name}.zip", content, f'"{sha256(content).hexdigest()[:32]}"')
