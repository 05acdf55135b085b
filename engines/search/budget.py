"""The time budget of a search."""

import time
from math import inf
from typing import Final

from engines.sdk import Clock

# Seconds per turn without a clock.
_UNTIMED: Final = 1.0
# Seconds that are never spent: answering also takes time, and more on a busy machine.
_RESERVE: Final = 0.1
# The fraction of the remaining time that one turn may use. Turns that are decided early use less.
_PART: Final = 1 / 16


class Budget:
    """The budget of a turn: a share of the clock, in wall-clock time, or a number of leaves of the tree.

    A budget of leaves also has a time limit if there is a clock, so that the bot does not lose on time.

    Wall-clock time passes at least as fast as the bot's CPU time, so this is safe with either kind of clock.
    """

    def __init__(self, clock: Clock, most_leaves: float = inf) -> None:
        self.seconds = seconds_for(clock) if most_leaves == inf else seconds_at_most(clock)
        self.most_leaves = most_leaves
        self._began = time.monotonic()

    def spent(self, leaves: int) -> float:
        """Return the fraction of the budget that is used up; 1 or more if all of it is."""
        return max((time.monotonic() - self._began) / self.seconds if self.seconds else 1.0,
                   leaves / self.most_leaves)


def seconds_for(clock: Clock) -> float:
    """Return the seconds for one turn: a fraction of the remaining time and most of the increment."""
    if clock.remaining == inf:
        return _UNTIMED
    return max(0.0, min(clock.remaining * _PART + 0.7 * clock.increment, 0.8 * (clock.remaining - _RESERVE)))


def seconds_at_most(clock: Clock) -> float:
    """Return the seconds after which a turn must end even if leaves remain; infinite without a clock."""
    if clock.remaining == inf:
        return inf
    return max(0.0, min(clock.remaining / 4 + clock.increment, 0.8 * (clock.remaining - _RESERVE)))
