"""The runtime directory: what bots may see of this machine, staged where their uids can read it.

    builds/<sha256>/   bot/ (the files), bot.toml (as uploaded), stage.json (what there must be)
    sdk/<digest>/      a copy of this package, compiled for the sandbox's Python
    slots/             a lock file for each slot
    staging/           work in progress, locks, and the tier that was found here

Everything but the slots can be removed while no worker runs, and is made again.
"""

import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engines.manifest import FILE_NAME, Manifest, parse_manifest
from engines.sandbox.building import build
from engines.sandbox.errors import SandboxError
from engines.sandbox.sdk_copy import stage_sdk
from engines.sandbox.slots import Slots
from engines.sandbox.submission import bot_entries
from engines.sandbox.unpack import pack, write_entries

if TYPE_CHECKING:
    from engines.sandbox.launch import Sandbox


@dataclass(frozen=True, slots=True)
class Build:
    """A bot ready to run. `sha256` is that of its archive, in hexadecimal."""

    path: Path
    manifest: Manifest
    sha256: str
    build_log: str


class Runtime:
    """A directory of staged files and slots, shared by all workers of one user on one machine."""

    def __init__(self, root: Path | None = None) -> None:
        """Make or adopt the directory. Raises SandboxError when it is not ours alone."""
        self.root = root or Path(tempfile.gettempdir(), f"squarefield-{os.geteuid()}")
        _own_directory(self.root, 0o711)
        for name, mode in (("builds", 0o711), ("sdk", 0o755), ("slots", 0o700), ("staging", 0o711)):
            _own_directory(self.root / name, mode)
        self.slots = Slots(self.root / "slots")
        self._known: dict[str, Build] = {}
        self._sdk: Path | None = None

    def sdk(self) -> Path:
        """The copy of this package that bots import."""
        if self._sdk is None:
            with self.locked("sdk"):
                self._sdk = stage_sdk(self.root / "sdk")
        return self._sdk

    def stage(self, archive: bytes, *, sha256: str | None = None, sandbox: "Sandbox | None" = None) -> Build:
        """Unpack an archive and run its build command, once on this machine, then find it again.

        `sandbox` is where the build runs; by default one is opened here. Raises ArchiveRefused,
        ManifestRefused or BuildFailed, which are the bot's fault, and SandboxError, which is not:
        among others when the archive is not the one that `sha256` names.
        """
        digest = hashlib.sha256(archive).hexdigest()
        if sha256 is not None and sha256 != digest:
            raise SandboxError(f"the archive should be {sha256} and is {digest}: its storage is damaged")
        with self.locked(digest):
            return self.staged(digest) or self._stage(archive, digest, sandbox)

    def staged(self, sha256: str) -> Build | None:
        """A build that was staged before and is still whole, without needing its archive."""
        if (known := self._known.get(sha256)) is not None and known.path.exists():
            return known
        place = self.root / "builds" / sha256
        try:
            stage = json.loads((place / "stage.json").read_text())
            manifest = parse_manifest((place / FILE_NAME).read_text())
        except FileNotFoundError:
            return None
        if stage["files"] != _listing(place / "bot"):
            return None  # a cleaner of temporary files has been here
        self._known[sha256] = Build(place / "bot", manifest, sha256, stage["log"])
        return self._known[sha256]

    def stage_directory(self, directory: Path, *, sandbox: "Sandbox | None" = None) -> Build:
        """Pack a bot's directory and stage it by the same rules. Raises what `stage` does."""
        return self.stage(pack(directory), sandbox=sandbox)

    def _stage(self, archive: bytes, digest: str, sandbox: "Sandbox | None") -> Build:
        work, place = self.root / "staging" / digest, self.root / "builds" / digest
        for left in (work, place):
            shutil.rmtree(left, ignore_errors=True)
        entries, manifest = bot_entries(archive)
        stated = next(entry.data for entry in entries if entry.name == FILE_NAME)
        log = ""
        try:
            work.mkdir(0o711)
            work.chmod(0o711)
            if manifest.build is not None:
                write_entries(entries, work / "source")
                entries, log = build(sandbox or self._builder(), work / "source", manifest.build)
                shutil.rmtree(work / "source")
            write_entries(entries, work / "bot")
            (work / FILE_NAME).write_bytes(stated or b"")
            (work / "stage.json").write_text(json.dumps({"files": _listing(work / "bot"), "log": log}))
            work.rename(place)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        staged = self.staged(digest)
        assert staged is not None, "it was written a moment ago, under the lock"
        return staged

    def _builder(self) -> "Sandbox":
        from engines.sandbox.launch import Sandbox  # it needs this module

        return Sandbox.open(self)

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Hold a lock among all processes that use this directory."""
        file = os.open(self.root / "staging" / f"{name}.lock",
                       os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)


def _own_directory(path: Path, mode: int) -> None:
    """Make the directory, or see that it is ours and that nobody else may write there."""
    try:
        path.mkdir(mode, parents=True)
        path.chmod(mode)
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise SandboxError(f"{path} must be a directory that belongs to this user and that no other can write: "
                               "remove it, or name another") from None


def _listing(directory: Path) -> dict[str, int]:
    """The size of every file, by name."""
    return {str(path.relative_to(directory)): path.lstat().st_size
            for path in sorted(directory.rglob("*")) if not path.is_dir()}
