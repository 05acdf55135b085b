"""Process 1 of a sandbox: bubblewrap's reports about it, and a pidfd for it that outlives bubblewrap.

When process 1 dies, the kernel kills every process of its namespace, so killing it ends a bot. Even if a bot makes it
outlive bubblewrap, its parent, we still have the pidfd.
"""

import json
import os
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress

_CHUNK = 4096


class Process1:
    """The process 1 that `bubblewrap` reports through the non-blocking pipe `status`, which `close` closes."""

    def __init__(self, bubblewrap: "subprocess.Popen[bytes]", status: int) -> None:
        self.pid: int | None = None
        self._bubblewrap = bubblewrap
        self._status = status
        self._said = b""
        self._reports: dict[str, int] = {}
        self._pidfd: int | None = None
        self._lock = threading.Lock()  # the memory watch runs in a separate thread

    def find(self, seconds: float = 0.0) -> int | None:
        """Return its pid on the host; None if bubblewrap has not started it within `seconds`, or never will."""
        give_up = time.monotonic() + seconds
        while "child-pid" not in self.reports() and self._bubblewrap.poll() is None and time.monotonic() < give_up:
            select.select([self._status], [], [], seconds)
        self.reports()  # bubblewrap may have sent a last report before it exited
        return self.pid

    def reports(self) -> dict[str, int]:
        """Return bubblewrap's reports so far: `child-pid`, then `exit-code` if the bot's command ran."""
        with self._lock:
            with suppress(BlockingIOError):
                while chunk := os.read(self._status, _CHUNK):
                    self._said += chunk
            *lines, self._said = self._said.split(b"\n")  # the last line is incomplete
            for line in lines:
                self._reports |= json.loads(line)
            if self.pid is None and "child-pid" in self._reports:
                self.pid = self._reports["child-pid"]
                with suppress(ProcessLookupError):  # it has already exited
                    self._pidfd = os.pidfd_open(self.pid)
                    if not _is_process_1(self.pid):  # the pid was reused
                        os.close(self._pidfd)
                        self._pidfd = None
            return self._reports

    def outlives_bubblewrap(self, seconds: float) -> bool:
        """Return whether it still runs `seconds` after its parent ended; the kernel should have killed it."""
        return self._bubblewrap.poll() is not None and self.find() is not None and not self.wait(seconds)

    def kill(self) -> None:
        """Send SIGKILL, which it cannot ignore."""
        if self._pidfd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def wait(self, seconds: float) -> bool:
        """Wait for its end, after which no process in the sandbox is left. Return whether it ended in time."""
        return self._pidfd is None or bool(select.select([self._pidfd], [], [], seconds)[0])

    def close(self) -> None:
        """Close the file descriptors."""
        for file in (self._status, self._pidfd):
            if file is not None:
                os.close(file)


def _is_process_1(pid: int) -> bool:
    with suppress(OSError), open(f"/proc/{pid}/status", "rb") as status:
        for line in status:
            if line.startswith(b"NSpid:"):
                return line.split()[2:] == [b"1"]
    return False
