"""Backoff of a worker process after its sandbox has failed, until it works again, and while it has no room.

Otherwise a machine with a full disk would take match after match from the other workers and void each at once.
"""

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
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
        if self._failed and self._until(self._sandbox.try_out, "sandbox unavailable"):
            self._failed = False
        return not self._failed

    def until_room(self, places: ExitStack) -> bool:
        """Wait up to a minute until the sandbox has room for the bots of a match, held in `places`. Returns whether."""
        return self._until(lambda: places.enter_context(self._sandbox.places()), "no room in the sandbox")

    def _until(self, attempt: Callable[[], object], what: str) -> bool:
        """Call `attempt` until it raises no SandboxError, or a minute is over. Returns whether it has succeeded."""
        pause, deadline = SHORTEST_SECONDS, time.monotonic() + IN_ALL_SECONDS
        while True:
            try:
                attempt()
            except SandboxError as fault:
                log.warning("worker paused, %s: %s", what, fault)
            else:
                return True
            if time.monotonic() + pause > deadline:
                return False
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_SECONDS)
