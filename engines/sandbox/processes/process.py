"""A running bot: its pipes, its resource use, and its end."""

import os
import select
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from engines.sandbox.isolation.cgroups import Group
from engines.sandbox.isolation.errors import SandboxError
from engines.sandbox.isolation.slots import Slot
from engines.sandbox.processes.holders import is_held
from engines.sandbox.processes.process1 import Process1
from engines.sandbox.processes.watch import MemoryWatch

_PATIENCE_SECONDS: Final = 1.0
_DEATH_SECONDS: Final = 5.0


class BotProcess:
    """A bot and everything it starts.

    `stdin`, `stdout` and `stderr` are our ends of its pipes, all non-blocking. `pid` is bubblewrap's pid,
    or the bot's own if there is no sandbox. bubblewrap keeps stdin and stdout open, so there is no end of file
    if a bot closes one and continues to run: use `abandoned` to detect that.
    """

    def __init__(self, popen: "subprocess.Popen[bytes]", files: tuple[int, int, int], *,
                 process_1: Process1 | None = None, group: Group | None = None, slot: Slot | None = None,
                 watch: MemoryWatch | None = None) -> None:
        self.stdin, self.stdout, self.stderr = files
        self.pid = popen.pid
        self._popen = popen
        self._process_1 = process_1
        self._group = group
        self._slot = slot
        self._watch = watch
        self._at_end: Callable[[], None] = lambda: None
        self._killed = False
        self._cpu_seconds: float | None = None
        self._memory_exceeded = self._killed_for_others = False

    def call_at_end(self, call: Callable[[], None]) -> None:
        """Set a function to call once when the bot has ended, to release the build that it runs."""
        self._at_end = call

    def cpu_seconds(self) -> float | None:
        """Return the CPU time of the whole tree since its start, final after `kill`; None without a cgroup."""
        return self._group.cpu_seconds() if self._group else self._cpu_seconds

    def memory_exceeded(self) -> bool:
        """Return whether a process of the tree was killed for its memory use, or should have been."""
        if self._watch is not None:
            return self._watch.exceeded()
        return self._group.memory_exceeded() if self._group else self._memory_exceeded

    def killed_for_others(self) -> bool:
        """Return whether the host ran out of memory and killed a process of the tree; False without a cgroup."""
        return self._group.killed_for_others() if self._group else self._killed_for_others

    def freeze(self) -> None:
        """Stop the whole tree until `thaw`; do nothing without a cgroup."""
        if self._group is not None:
            self._group.freeze()

    def thaw(self) -> None:
        """Let a frozen tree run again."""
        if self._group is not None:
            self._group.thaw()

    def abandoned(self, pipe: int) -> bool:
        """Return whether the bot has closed the other end of this pipe; False if that cannot be determined."""
        ends = select.poll()
        ends.register(pipe, 0)
        if ends.poll(0):
            return True
        process_1 = None if self._process_1 is None else self._process_1.find()
        return process_1 is not None and not is_held(pipe, process_1)

    def exit_status(self) -> int | None:
        """Return the exit status of the bot's command, 128 + n after signal n, or None while it runs.

        Raises SandboxError if bubblewrap, and not the bot, failed or was killed.
        """
        status = self._popen.poll()
        if status is None or self._process_1 is None or self._killed or self.memory_exceeded():
            return status if status is None or status >= 0 else 128 - status
        if "exit-code" not in self._process_1.reports():
            raise SandboxError(f"bubblewrap ended with {status} before the bot did")
        return status

    def wait(self, seconds: float) -> int | None:
        """Wait up to `seconds` for the bot to end and return `exit_status`."""
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(seconds)
        return self.exit_status()

    def kill(self) -> None:
        """Kill the whole tree and release its resources. May be called more than once.

        Afterwards, no process of the tree is alive. Raises SandboxError if one does not exit.
        """
        if self._killed:
            return
        self._killed = True
        if self._watch is not None:
            self._watch.stop()
        try:
            self._kill_tree()
            self._remove_group()
        finally:
            for file in (self.stdin, self.stdout, self.stderr):
                os.close(file)
            if self._process_1 is not None:
                self._process_1.close()
            self._at_end()

    def _kill_tree(self) -> None:
        if self._process_1 is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        elif self._process_1.find(_PATIENCE_SECONDS) is not None:
            # When its process 1 dies, the kernel kills the whole sandbox, even if bubblewrap no longer runs. bubblewrap
            # is spared at first: it reaps process 1, which would otherwise become a zombie, and then exits.
            if self._group is not None:
                self._group.kill(spare=self.pid)
            self._process_1.kill()
        try:
            self._popen.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
        if self._slot is not None:
            self._slot.kill()
        if self._process_1 is not None and not self._process_1.wait(_DEATH_SECONDS):
            raise SandboxError(f"the first process of a bot's sandbox, {self._process_1.pid}, does not exit")

    def _remove_group(self) -> None:
        if self._group is not None:
            group, self._group = self._group, None
            self._cpu_seconds, self._memory_exceeded = group.cpu_seconds(), group.memory_exceeded()
            self._killed_for_others = group.killed_for_others()
            group.remove()
        if self._slot is not None:
            self._slot.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.kill()
