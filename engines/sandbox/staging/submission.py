"""Reads the files and the manifest of the bot in an uploaded archive."""

from collections.abc import Callable
from dataclasses import replace

from engines.manifest import FILE_NAME, Manifest, ManifestRefused, read_manifest
from engines.sandbox.archives.unpack import Entry, read_entries
from engines.sandbox.staging.scripts import unusable


def read_submission(archive: bytes) -> Manifest:
    """Check an archive without writing any files and return its manifest. Raises ArchiveRefused or ManifestRefused."""
    entries, manifest = bot_entries(archive)
    key, command = ("run", manifest.command) if manifest.build is None else ("build", manifest.build)
    if wrong := unusable(command, *readable(entries)):
        raise ManifestRefused(f"{key}: {wrong}")
    return manifest


def readable(entries: list[Entry]) -> tuple[set[str], Callable[[str], bytes]]:
    """Return the names of the files, and a function that returns the content of one."""
    contents = {entry.name: entry.data for entry in entries if entry.data is not None}
    return set(contents), contents.__getitem__


def bot_entries(archive: bytes) -> tuple[list[Entry], Manifest]:
    """Return the bot's files, with names relative to the bot's directory, and its manifest.

    The bot.toml is at the top of the archive, or at the top of its only directory, which is then the bot's directory.
    Raises ArchiveRefused or ManifestRefused.
    """
    entries = _from_bot_directory(read_entries(archive))
    return entries, find_manifest(entries)


def find_manifest(entries: list[Entry]) -> Manifest:
    """Return the manifest from a bot's files. Raises ManifestRefused."""
    data = next((entry.data for entry in entries if entry.name == FILE_NAME), None)
    if data is None:
        raise ManifestRefused(f"there is no {FILE_NAME}: put one at the top of the archive, "
                              "or at the top of the only directory in it")
    return read_manifest(data)


def _from_bot_directory(entries: list[Entry]) -> list[Entry]:
    top = {entry.name.split("/", 1)[0] for entry in entries}
    if len(top) > 1 or FILE_NAME in top:
        return entries
    prefix = top.pop() + "/"
    return [replace(entry, name=entry.name.removeprefix(prefix)) for entry in entries if entry.name.startswith(prefix)]
