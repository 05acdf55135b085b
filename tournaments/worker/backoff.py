"""Backoff of a worker process after its sandbox has failed, until the sandbox works again.

Otherwise a machine with a full disk would take match after match from the other workers and void each at once.
"""

import logging
import time
from typing import Final

from engines.sandbox import Sandbox, SandboxError

log = logging.getLogger(__name__)

SHORTEST_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 16.0
# After this time the process gives up the message; it backs off again before its next match.
IN_ALL_SECONDS: Final = 60.0


class SandboxBackoff:
    """State of the sandbox. The process calls `failed` after a failure, and `until_well` before it takes work."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._failed = False

    def failed(self) -> None:
        """Record that the sandbox, or the worker itself, has failed."""
        self._failed = True

    def until_well(self) -> bool:
        """Wait up to a minute until the sandbox can start a program again. Returns whether it can."""
        if not self._failed:
            return True
        pause, deadline = SHORTEST_SECONDS, time.monotonic() + IN_ALL_SECONDS
        while True:
            try:
                self._sandbox.try_out()
            except SandboxError as fault:
                log.warning("worker paused, sandbox unavailable: %s", fault)
            else:
                self._failed = False
                return True
            if time.monotonic() + pause > deadline:
                return False
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_SECONDS)
