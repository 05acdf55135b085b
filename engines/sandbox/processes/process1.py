"""Process 1 of a sandbox: what bubblewrap says of it, and a hold on it that outlives bubblewrap.

With it the kernel ends every process of its namespace, so it is what must die at the end of a bot. Not even a bot that
gets it to outlive bubblewrap, its parent, can take the pidfd away from us.
"""

import json
import os
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

_CHUNK = 4096


class Process1:
    """The process 1 that `bubblewrap` reports through the non-blocking pipe `status`, which is closed in the end."""

    def __init__(self, bubblewrap: "subprocess.Popen[bytes]", status: int) -> None:
        self.pid: int | None = None
        self._bubblewrap = bubblewrap
        self._status = status
        self._said = b""
        self._reports: dict[str, int] = {}
        self._pidfd: int | None = None
        self._lock = threading.Lock()  # the watch on memory asks from a thread of its own

    def find(self, seconds: float = 0.0) -> int | None:
        """Its pid for us; None as long as bubblewrap has not started it, or if it never does."""
        give_up = time.monotonic() + seconds
        while "child-pid" not in self.reports() and self._bubblewrap.poll() is None and time.monotonic() < give_up:
            select.select([self._status], [], [], seconds)
        self.reports()  # what bubblewrap may have said with its last breath
        return self.pid

    def reports(self) -> dict[str, int]:
        """What bubblewrap has told so far: `child-pid`, then `exit-code` if the bot's command ran."""
        with self._lock:
            with suppress(BlockingIOError):
                while chunk := os.read(self._status, _CHUNK):
                    self._said += chunk
            *lines, self._said = self._said.split(b"\n")  # the last is not finished yet
            for line in lines:
                self._reports |= json.loads(line)
            if self.pid is None and "child-pid" in self._reports:
                self.pid = self._reports["child-pid"]
                with suppress(ProcessLookupError):  # it has come and gone
                    self._pidfd = os.pidfd_open(self.pid)
                    if not _is_process_1(self.pid):  # a pid that was given out anew
                        os.close(self._pidfd)
                        self._pidfd = None
            return self._reports

    def outlives_bubblewrap(self, seconds: float) -> bool:
        """Whether it goes on without its parent: the kernel should kill it, and gets so long to do that."""
        return self._bubblewrap.poll() is not None and self.find() is not None and not self.wait(seconds)

    def kill(self) -> None:
        """Send SIGKILL, which it cannot escape."""
        if self._pidfd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def wait(self, seconds: float) -> bool:
        """Wait for its end, which is that of the last process in the sandbox; returns whether it came in time."""
        return self._pidfd is None or bool(select.select([self._pidfd], [], [], seconds)[0])

    def close(self) -> None:
        """Let go of it."""
        for file in (self._status, self._pidfd):
            if file is not None:
                os.close(file)


def _is_process_1(pid: int) -> bool:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("NSpid:"):
                return line.split()[2:] == ["1"]
    return False
