"""A bridge as a player of `squarefield play`: it runs next to the sandbox, as the caller's user."""

import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engines.manifest import Manifest
from engines.rules.ruleset import Ruleset
from engines.sandbox import Build, SandboxError
from engines.sandbox.processes.pipes import Pipes
from engines.sandbox.processes.process import BotProcess
from tournaments.kit.bots import CannotPlay
from tournaments.kit.bridge.mapping import read_mapping

# The kit's package under its present name, and the directory or archive from which it is imported.
_KIT: Final = (__package__ or "").rpartition(".")[0]
_ROOT: Final = Path(__file__).parents[_KIT.count(".") + 2]
# Seconds for the bridge's own start, in addition to the engine's.
_OWN_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Outside(Build):
    """A bridge, ready to run outside the sandbox. It has `handshake_seconds` for its start."""

    handshake_seconds: float

    def start(self) -> BotProcess:
        """Start the bridge. Raises SandboxError."""
        path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH", ""))))
        try:
            with ExitStack() as undo, Pipes(undo) as pipes:
                theirs, ours = pipes.standard()
                popen = subprocess.Popen(self.manifest.command, stdin=theirs.stdin, stdout=theirs.stdout,
                                         stderr=theirs.stderr, cwd=self.path, env={**os.environ, "PYTHONPATH": path},
                                         start_new_session=True)
                undo.pop_all()
                return BotProcess(popen, ours)
        except OSError as error:
            raise SandboxError(f"cannot start a bridge: {error}") from error


def outside(name: str, ruleset: Ruleset, size: int) -> Outside:
    """Return the bridge with this mapping file. Raises CannotPlay, also if its engine does not play this game."""
    path = Path(name).resolve()
    mapping = read_mapping(path)
    if mapping.ruleset != ruleset.slug:
        raise CannotPlay(f"{name} maps {mapping.ruleset}, not {ruleset.slug}: write a mapping for {ruleset.slug}")
    mapping.check_size(size)
    command = (sys.executable, "-m", f"{_KIT}.main", "bridge", str(path))
    return Outside(path.parent, Manifest(mapping.name, command, None, (ruleset.slug,)), "", "",
                   handshake_seconds=mapping.start_seconds + _OWN_SECONDS)
