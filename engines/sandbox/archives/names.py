"""Checks the names in an archive: each one on its own, and for conflicts between two names."""

import unicodedata
from typing import Final

from engines.rules.notation import quote
from engines.sandbox.isolation.errors import ArchiveRefused

MAX_PART_BYTES: Final = 200
MAX_NAME_BYTES: Final = 500
MAX_DEPTH: Final = 16


def check_name(name: str) -> tuple[str, ...]:
    """Return the parts of a relative, printable name, or () for the archive's root. Raises ArchiveRefused."""
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
        raise ArchiveRefused(f"the entry {shown} is more than {MAX_DEPTH} directories deep: use fewer levels")
    if len(name.encode()) > MAX_NAME_BYTES or any(len(part.encode()) > MAX_PART_BYTES for part in parts):
        raise ArchiveRefused(f"the entry {shown} has a name longer than {MAX_PART_BYTES} bytes "
                             f"({MAX_NAME_BYTES} with its directories): shorten it")
    return parts


class Names:
    """The names seen so far: no two may be the same file on any file system."""

    def __init__(self, max_entries: int) -> None:
        self._max_entries = max_entries
        self._seen: dict[str, tuple[str, bool]] = {}

    def add(self, parts: tuple[str, ...], *, is_directory: bool) -> list[str]:
        """Add a name and return the new directories that it needs, outermost first.

        Raises ArchiveRefused if there are too many names, or if a name is a duplicate, differs from another only in
        case or Unicode form, or is both a file and a directory.
        """
        new_directories = []
        for length in range(1, len(parts) + 1):
            name, wants_directory = "/".join(parts[:length]), length < len(parts) or is_directory
            key = unicodedata.normalize("NFC", name).casefold()
            earlier = self._seen.get(key)
            if earlier is None:
                self._note(key, name, is_directory=wants_directory)
                if wants_directory:
                    new_directories.append(name)
            elif earlier[0] != name:
                raise ArchiveRefused(f"the entries {quote(earlier[0])} and {quote(name)} differ only in case "
                                     "or Unicode form: rename one of them")
            elif earlier[1] != wants_directory:
                raise ArchiveRefused(f"the entry {quote(name)} is both a file and a directory: rename one of them")
            elif not wants_directory:
                raise ArchiveRefused(f"the entry {quote(name)} occurs twice: keep one of them")
        return new_directories

    def _note(self, key: str, name: str, *, is_directory: bool) -> None:
        if len(self._seen) == self._max_entries:
            raise ArchiveRefused(f"the archive has more than {self._max_entries:,} files and directories "
                                 f"(at {quote(name)}): leave out what the bot does not need")
        self._seen[key] = (name, is_directory)
