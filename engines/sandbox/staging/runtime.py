"""The runtime directory: the files of this machine that bots may see, staged where their uids can read them.

    builds/<sha256>/   bot/ (the files), bot.toml (as uploaded), stage.json (the expected files);
                       <sha256>-built/ is the same for the result of a build that was packed elsewhere
    sdk/<digest>/      a copy of this package, compiled for the sandbox's Python
    slots/             a lock file for each slot
    memory/            empty directories that serve as mount points of each sandbox's in-memory file systems, and one
                       that covers directories of /proc
    staging/           work in progress, locks, and the tier of this machine

Builds are removed when they take up too much space (`cache`). Everything except the slots can be removed while no
worker runs, and is created again when needed.
"""

import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engines.manifest import FILE_NAME, Manifest, ManifestRefused, read_manifest
from engines.sandbox.archives.unpack import Entry, pack, write_entries
from engines.sandbox.isolation.bubblewrap import View
from engines.sandbox.isolation.errors import ArchiveRefused, SandboxError
from engines.sandbox.isolation.slots import Slots
from engines.sandbox.staging.building import Builder, build
from engines.sandbox.staging.cache import FACTS, BuildCache, cache_limit
from engines.sandbox.staging.sdk_copy import stage_sdk
from engines.sandbox.staging.submission import bot_entries

_BUILT: Final = "-built"


@dataclass(frozen=True, slots=True)
class Build:
    """A bot ready to run. `sha256` is the hash of the staged archive, in hexadecimal."""

    path: Path
    manifest: Manifest
    sha256: str
    build_log: str


class Runtime:
    """A directory of staged files and slots, shared by all workers of one user on one machine."""

    def __init__(self, root: Path | None = None) -> None:
        """Create the directory, or use an existing one. Raises SandboxError if others own it or can write to it."""
        self.root = root or Path(tempfile.gettempdir(), f"squarefield-{os.geteuid()}")
        _own_directory(self.root, 0o711)
        self.memory = self.root / "memory"
        for name, mode in (("builds", 0o711), ("sdk", 0o755), ("slots", 0o700), ("staging", 0o711), ("memory", 0o711),
                           ("memory/bot", 0o711), ("memory/empty", 0o555), ("memory/shm", 0o711),
                           ("memory/tmp", 0o711)):
            _own_directory(self.root / name, mode)
        self.slots = Slots(self.root / "slots")
        self.cache = BuildCache(self.root / "builds", self.root / "staging", cache_limit())
        self._known: dict[str, Build] = {}
        self._sdk: Path | None = None

    def sdk(self) -> Path:
        """Return the copy of this package that bots import."""
        if self._sdk is None:
            with self.locked("sdk"):
                self._sdk = stage_sdk(self.root / "sdk")
        return self._sdk

    def view(self, *, bot: Path | None = None, source: Path | None = None) -> View:
        """Return a sandbox's view of this directory, with a bot's files or with the source of a build."""
        return View(memory=self.memory, sdk=self.sdk(), bot=bot, source=source)

    def stage(self, archive: bytes, *, sha256: str | None = None, sandbox: Builder | None = None,
              on_log: Callable[[str], None] = lambda _: None) -> Build:
        """Unpack an archive and run its build command, once per machine; later calls return the staged build.

        `sandbox` runs the build command; a bot without one does not need it. `on_log` is called with the output so far
        while the build runs; an exception from it aborts the build. Raises ArchiveRefused, ManifestRefused or
        BuildFailed, which are the bot's fault, and SandboxError, which is not, for example if the archive does not
        match `sha256`.
        """
        digest = _checked_digest(archive, sha256)
        with self.locked(digest):
            return self.staged(digest) or self._stage(archive, digest, sandbox, on_log)

    def staged(self, sha256: str) -> Build | None:
        """Return a build that was staged before and is still complete, or None. Does not need the archive."""
        return self._find(sha256, sha256)

    def stage_built(self, artefact: bytes, *, sha256: str | None = None) -> Build:
        """Stage an archive that `artefact` packed on this or another machine, without running a build command.

        Raises SandboxError if it does not match `sha256`, or was not packed by `artefact`.
        """
        digest = _checked_digest(artefact, sha256)
        with self.locked(digest):
            if (found := self.staged_built(digest)) is not None:
                return found
            try:
                entries, _ = bot_entries(artefact)
            except (ArchiveRefused, ManifestRefused) as fault:
                raise SandboxError(f"the built tree {digest} cannot be unpacked: {fault}") from fault
            return self._place(f"{digest}{_BUILT}", digest, entries, "")

    def staged_built(self, sha256: str) -> Build | None:
        """Return a build that `stage_built` staged before, or None. Does not need the artefact."""
        return self._find(f"{sha256}{_BUILT}", sha256)

    def damaged(self, build: Build) -> bool:
        """Return whether files of a build are missing, such as after a cleanup; it is then staged again next time."""
        try:
            _facts(build.path.parent)
        except FileNotFoundError:
            self._known = {key: known for key, known in self._known.items() if known.path != build.path}
            return True
        return False

    def artefact(self, build: Build) -> bytes:
        """Return the files of a build as a reproducible archive for `stage_built`."""
        return pack(build.path, hidden=True)

    def stage_directory(self, directory: Path, *, sandbox: Builder | None = None) -> Build:
        """Pack a bot's directory and stage it by the same rules. Raises the same exceptions as `stage`."""
        return self.stage(pack(directory), sandbox=sandbox)

    def _find(self, key: str, sha256: str) -> Build | None:
        place = self.root / "builds" / key
        self.cache.touch(place)
        if (known := self._known.get(key)) is not None and known.path.exists():
            return known
        try:
            stage, manifest = _facts(place), read_manifest((place / FILE_NAME).read_bytes())
        except FileNotFoundError:
            return None
        self._known[key] = Build(place / "bot", manifest, sha256, stage["log"])
        return self._known[key]

    def _stage(self, archive: bytes, digest: str, sandbox: Builder | None,
               on_log: Callable[[str], None]) -> Build:
        entries, manifest = bot_entries(archive)
        log = ""
        if manifest.build is not None:
            entries, log = self._build(entries, digest, manifest.build, sandbox, on_log)
        return self._place(digest, digest, entries, log)

    def _build(self, source: list[Entry], digest: str, command: tuple[str, ...], sandbox: Builder | None,
               on_log: Callable[[str], None]) -> tuple[list[Entry], str]:
        """Run a build command on these files; return the resulting files and the output."""
        if sandbox is None:
            raise SandboxError(f"the bot {digest} has a build command, but there is no sandbox to run it in")
        work = self._work(digest)
        try:
            write_entries(source, work / "source")
            built, log = build(sandbox, work / "source", command, on_log=on_log)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        # The author's bot.toml applies, even if the build changed the file.
        kept = [entry for entry in built if entry.name.split("/", 1)[0].casefold() != FILE_NAME]
        return [*kept, next(entry for entry in source if entry.name == FILE_NAME)], log

    def _place(self, key: str, digest: str, entries: list[Entry], log: str) -> Build:
        """Write a bot's files to the directory of staged builds, all of them or none."""
        work, place = self._work(digest), self.root / "builds" / key
        shutil.rmtree(place, ignore_errors=True)
        try:
            write_entries(entries, work / "bot")
            stated = next(entry.data for entry in entries if entry.name == FILE_NAME)
            (work / FILE_NAME).write_bytes(stated or b"")
            (work / FACTS).write_text(json.dumps({"files": _listing(work / "bot"), "log": log}))
            work.rename(place)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        self.cache.trim()
        placed = self._find(key, digest)
        assert placed is not None, "it was written a moment ago, under the lock"
        return placed

    def _work(self, digest: str) -> Path:
        """Create an empty directory for work in progress; the caller holds the digest's lock."""
        work = self.root / "staging" / digest
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(0o711)
        work.chmod(0o711)
        return work

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Hold a lock that is shared by all processes that use this directory."""
        file = os.open(self.root / "staging" / f"{name}.lock",
                       os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)


def _checked_digest(archive: bytes, stated: str | None) -> str:
    digest = hashlib.sha256(archive).hexdigest()
    if stated is not None and stated != digest:
        raise SandboxError(f"the archive should have the SHA-256 {stated} but has {digest}: its storage is damaged")
    return digest


def _own_directory(path: Path, mode: int) -> None:
    """Create the directory, or check that it belongs to us and that no one else can write to it."""
    try:
        path.mkdir(mode, parents=True)
        path.chmod(mode)
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise SandboxError(f"{path} must be a directory that belongs to this user and that no one else can write "
                               "to: remove it, or choose another directory") from None


def _facts(place: Path) -> dict[str, Any]:
    """Return the stored facts of a staged build. Raises FileNotFoundError if files are missing or changed in size."""
    facts: dict[str, Any] = json.loads((place / FACTS).read_text())
    if facts["files"] != _listing(place / "bot"):
        raise FileNotFoundError(place)
    return facts


def _listing(directory: Path) -> dict[str, int]:
    """Return the size of every file by name."""
    return {str(path.relative_to(directory)): path.lstat().st_size
            for path in sorted(directory.rglob("*")) if not path.is_dir()}
