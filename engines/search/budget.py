"""How long a search may take."""

import time
from math import inf
from typing import Final

from engines.sdk import Clock

# Without a clock, a turn takes this many seconds.
_UNTIMED: Final = 1.0
# What is never spent: answering takes time as well, and a busy machine takes more.
_RESERVE: Final = 0.1


class Budget:
    """A turn's share of the clock, in wall time, and a limit on the tree's leaves; whichever is met first.

    The wall runs at least as fast as the bot's own CPU time, so that keeping to it is safe with either
    kind of clock.
    """

    def __init__(self, clock: Clock, most_leaves: float = inf) -> None:
        self.seconds = seconds_for(clock) if most_leaves == inf or clock.remaining < inf else inf
        self.most_leaves = most_leaves
        self._began = time.monotonic()

    def spent(self, leaves: int) -> float:
        """Which part of the budget is gone: 1 or more when all is."""
        return max((time.monotonic() - self._began) / self.seconds if self.seconds else 1.0,
                   leaves / self.most_leaves)


def seconds_for(clock: Clock) -> float:
    """The seconds for one turn: a part of what is left, and most of what comes back."""
    if clock.remaining == inf:
        return _UNTIMED
    return max(0.0, min(clock.remaining / 20 + 0.7 * clock.increment, 0.8 * (clock.remaining - _RESERVE)))
