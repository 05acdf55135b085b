"""The process of an engine: started, asked command by command, and stopped. It never waits without a limit."""

import os
import subprocess
from contextlib import ExitStack, suppress
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

from engines.referee.clock import Deadline
from engines.referee.conduct import BotFault
from engines.referee.gtp import LIST_BYTES, Channel
from engines.sandbox.isolation.limits import DEFAULT
from engines.sandbox.processes.pipes import Pipes
from engines.sandbox.processes.process import BotProcess
from tournaments.kit.bridge.mapping import Mapping

_QUIT_SECONDS: Final = 1.0
_LIMITS: Final = replace(DEFAULT, reply_bytes=LIST_BYTES)


class EngineFailed(Exception):
    """The engine cannot continue; `str()` says why, with the command and the engine's line."""


class Engine:
    """A running engine. Its standard error is ours."""

    def __init__(self, mapping: Mapping) -> None:
        """Start the engine. Raises EngineFailed."""
        self._mapping = mapping
        self._waits = mapping.start_seconds
        try:
            with ExitStack() as undo, Pipes(undo) as pipes:
                theirs, ours = pipes.standard()
                # It is in our process group, so a referee that kills the bridge's group also kills the engine's
                # children.
                self._popen = subprocess.Popen(mapping.run, cwd=mapping.directory, stdin=theirs.stdin,
                                               stdout=theirs.stdout)
                undo.pop_all()
        except OSError as error:
            raise EngineFailed(f"cannot start {mapping.run[0]}: {error.strerror}. Correct run in the mapping, or "
                               "install the program") from None
        self._process = BotProcess(self._popen, ours)
        self._channel = Channel(self._process, _LIMITS)

    def ask(self, command: str) -> tuple[bool, str]:
        """Send a command; return whether the engine accepted it, and its answer. Raises EngineFailed.

        The first answer may take `start_seconds`, each later one `answer_seconds`.
        """
        try:
            answer = self._channel.ask(command, Deadline(self._waits))
        except BotFault as fault:
            wrote = f"; it wrote {fault.line!r}" if fault.line else ""
            raise EngineFailed(f"the engine {self._mapping.name} failed at {command!r}: {fault}{wrote}") from None
        self._waits = self._mapping.answer_seconds
        return answer

    def tell(self, command: str) -> str:
        """Send a command that the engine must accept; return its answer. Raises EngineFailed."""
        accepted, text = self.ask(command)
        if not accepted:
            raise EngineFailed(f"the engine {self._mapping.name} refused {command!r}: it wrote {'? ' + text!r}. "
                               "Correct the command in the mapping, or choose what the engine supports")
        return text

    def close(self) -> None:
        """Send `quit`, wait a moment, and kill what is left."""
        if command := self._mapping.commands["quit"]:
            with suppress(OSError):
                os.write(self._process.stdin, f"{command}\n".encode())
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(_QUIT_SECONDS)
        self._popen.kill()
        self._process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()
