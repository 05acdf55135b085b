"""How long a search may take."""

import time
from math import inf
from typing import Final

from engines.sdk import Clock

# Without a clock, a turn takes this many seconds.
_UNTIMED: Final = 1.0
# What is never spent: answering takes time as well, and a busy machine takes more.
_RESERVE: Final = 0.1
# The part of what is left that one turn may take. Turns that are decided early give theirs back.
_PART: Final = 1 / 16


class Budget:
    """A turn's share of the clock, in wall time, or a number of the tree's leaves.

    Leaves have a clock too, when there is one: a number of them that takes too long is not worth the game.

    The wall runs at least as fast as the bot's own CPU time, so that keeping to it is safe with either
    kind of clock.
    """

    def __init__(self, clock: Clock, most_leaves: float = inf) -> None:
        self.seconds = seconds_for(clock) if most_leaves == inf else seconds_at_most(clock)
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
    return max(0.0, min(clock.remaining * _PART + 0.7 * clock.increment, 0.8 * (clock.remaining - _RESERVE)))


def seconds_at_most(clock: Clock) -> float:
    """The seconds after which a turn must end although it has leaves to grow; infinite without a clock."""
    if clock.remaining == inf:
        return inf
    return max(0.0, min(clock.remaining / 4 + clock.increment, 0.8 * (clock.remaining - _RESERVE)))
