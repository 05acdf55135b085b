"""Server processes that must not outlive the program that started them.

Each child gets its own process group, so a Ctrl-C at the terminal reaches only the parent, and a parent-death signal,
so that even `kill -9` of the parent leaves no process behind. The kernel ties that signal to the *thread* that started
the child: start children from a thread that lives as long as they should.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self


class ChildFailed(RuntimeError):
    """A child process did not become ready; the message ends with the last lines of its log."""


def tied_to_parent(command: Sequence[str], death_signal: str = "KILL") -> list[str]:
    """Return `command`, wrapped so that the kernel sends it `death_signal` when the starting thread ends."""
    # setpriv instead of preexec_fn, which can deadlock if the parent has threads.
    if sys.platform != "linux":
        return list(command)
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise ChildFailed("setpriv is missing. Install util-linux: apt-get install util-linux")
    return [setpriv, "--pdeathsig", death_signal, "--", *command]


class Child:
    """Server process that can be started, stopped, killed and restarted with the same command."""

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        *,
        stop_signal: signal.Signals = signal.SIGTERM,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.command = list(command)
        self.log = log
        self.stop_signal = stop_signal
        self.env = env
        self.cwd = cwd
        self.process: subprocess.Popen[bytes] | None = None
        self._asked = False

    @property
    def pid(self) -> int:
        """Process ID of the running child, which is also its process group's ID."""
        if self.process is None:
            raise ChildFailed(f"{self.command[0]} is not running")
        return self.process.pid

    def start(self) -> None:
        """Start the process; its output is appended to the log."""
        if self.process is not None:
            raise ChildFailed(f"{self.command[0]} is already running")
        self._asked = False
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.env,
                cwd=self.cwd,
                process_group=0,
            )

    def wait_until(self, ready: Callable[[], bool], seconds: float = 120) -> None:
        """Return once `ready()` is true. Raises ChildFailed if the child ends first or the time runs out.

        The time limit allows for a busy machine: a child that fails to start ends, which is detected at once.
        """
        deadline = time.monotonic() + seconds
        while not ready():
            ended = self.process is None or self.process.poll() is not None
            if ended or time.monotonic() > deadline:
                reason = "ended at once" if ended else f"was not ready after {seconds:.0f} s"
                self.kill()
                raise ChildFailed(f"{self.command[0]} {reason}; its log {self.log} ends with:\n{self.log_tail()}")
            time.sleep(0.01)

    def log_tail(self, lines: int = 8) -> str:
        """Return the last `lines` lines of the log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def ask_to_stop(self) -> None:
        """Send the stop signal once, without waiting, so that several children can end at the same time."""
        # Only once: many servers take a second signal as a request to abandon their current work.
        if self.process is not None and self.process.poll() is None and not self._asked:
            self._asked = True
            self.process.send_signal(self.stop_signal)

    def stop(self, seconds: float = 10) -> None:
        """Ask the process to stop, wait, and then kill its whole group."""
        self.ask_to_stop()
        if self.process is not None:
            with suppress(subprocess.TimeoutExpired):  # kill() below ends a child that ignores the signal.
                self.process.wait(seconds)
        self.kill()

    def kill(self) -> None:
        """Kill the process and its group at once with SIGKILL, as in a crash."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):  # The group may already have ended.
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
