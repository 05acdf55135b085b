"""Restarting of child processes that end; the demo is its own supervisor."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from tournaments.setup.bootstrap.children import Child

FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 30.0


class Upkeep:
    """Supervisor that restarts ended children after 1 s, 2 s, 4 s … up to half a minute, and reports each to `say`.

    After a child has run for longer than the longest wait, its wait starts at 1 s again. Call `look` from the thread
    that started the children: they end with it.
    """

    def __init__(self, children: Sequence[Child], say: Callable[[str], object], *,
                 clock: Callable[[], float] = time.monotonic) -> None:
        self._children, self._say, self._clock = children, say, clock
        self._waits = dict.fromkeys(children, FIRST_WAIT)
        self._started = dict.fromkeys(children, clock())
        self._due: dict[Child, float] = {}

    def look(self) -> None:
        """Detect children that have ended, and restart those whose wait is over."""
        now = self._clock()
        for child in self._children:
            if child in self._due:
                if now >= self._due[child]:
                    del self._due[child]
                    self._started[child] = now
                    child.start()
            elif child.process is not None and (code := child.process.poll()) is not None:
                self._rest(child, code, now)

    def _rest(self, child: Child, code: int, now: float) -> None:
        if now - self._started[child] > LONGEST_WAIT:
            self._waits[child] = FIRST_WAIT
        wait = self._waits[child]
        self._waits[child] = min(2 * wait, LONGEST_WAIT)
        self._due[child] = now + wait
        # The rest of its process group must not run alongside the new one.
        child.kill()
        self._say(f"The {child.log.stem} process ended with exit code {code}. It restarts in {wait:.0f} s; its log is "
                  f"{child.log}")
