"""What a worker's process does after its sandbox has failed: nothing, until that works again.

A machine whose disk is full would otherwise take match after match from the others, and spoil each within a moment.
"""

import logging
import time
from typing import Final

from engines.sandbox import Sandbox, SandboxError

log = logging.getLogger(__name__)

SHORTEST_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 16.0
# Then the process may be told to end; it rests again before its next match.
IN_ALL_SECONDS: Final = 60.0


class SandboxBackoff:
    """Whether the sandbox has failed; its process calls `failed` then, and `until_well` before it takes anything."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._failed = False

    def failed(self) -> None:
        """The sandbox has failed, or something of ours did."""
        self._failed = True

    def until_well(self) -> bool:
        """Wait until a program can be started in the sandbox again, a minute at most; whether it can."""
        if not self._failed:
            return True
        pause, deadline = SHORTEST_SECONDS, time.monotonic() + IN_ALL_SECONDS
        while True:
            try:
                self._sandbox.try_out()
            except SandboxError as fault:
                log.warning("nothing is played here for the time being: %s", fault)
            else:
                self._failed = False
                return True
            if time.monotonic() + pause > deadline:
                return False
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_SECONDS)
