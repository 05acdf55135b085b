"""Timers for turns and for waits that are not charged to the clock.

A turn is charged the CPU time of the bot's whole process tree, because wall-clock time on a busy host depends on other
processes: 20 ms of thinking was seen to take 393 ms. Where CPU time cannot be measured, wall-clock time is charged.
"""

import time
from collections.abc import Callable
from typing import Final

from engines.records.time_control import GRACE, ClockKind, seconds_text

# The next check of a bot's CPU time is due when one thread could have used up the rest, but not sooner than this.
_SHORTEST_LOOK: Final = 0.005


class _Halfway:
    """Calls a function once, when half of the allowed wall-clock time has passed: only slow turns are examined."""

    def __init__(self, allowed: float, call: Callable[[], None] | None) -> None:
        self._half = allowed / 2
        self._call = call

    def clip(self, left: float) -> float:
        """Return how long to wait if `left` seconds remain: not beyond half-time unless the call has been made."""
        if self._call is None or left <= 0:
            return left
        if left > self._half:
            return left - self._half
        self._call()
        self._call = None
        return left


class Deadline:
    """A wall-clock deadline, for waits that are not charged. Calls `halfway` when half of the time has passed."""

    def __init__(self, seconds: float, halfway: Callable[[], None] | None = None) -> None:
        self._seconds = seconds
        self._halfway = _Halfway(seconds, halfway)
        self._end = time.monotonic() + seconds

    def spent(self) -> str:
        """Describe the time allowed, for messages."""
        return f"{seconds_text(self._seconds)} s were allowed"

    def wait(self) -> float:
        """Return the seconds to wait before the next check; 0 or less if time is up."""
        return self._halfway.clip(self._end - time.monotonic())

    def wall(self) -> float:
        """Return the wall-clock seconds since the start."""
        return time.monotonic() - self._end + self._seconds

    def charged(self) -> float:
        """Return 0: nothing is charged."""
        return 0.0

    def overspent(self) -> bool:
        """Return False: CPU time is not limited."""
        return False


class HandshakeDeadline(Deadline):
    """A wall-clock deadline that also limits CPU time, so that bots cannot take uncharged time from other bots.

    `cpu_seconds` returns the CPU time of the bot's whole process tree since its start; `cpu_budget` is its limit.
    """

    def __init__(self, seconds: float, cpu_budget: float, cpu_seconds: Callable[[], float],
                 halfway: Callable[[], None] | None = None) -> None:
        super().__init__(seconds, halfway)
        self._cpu_budget = cpu_budget
        self._cpu_seconds = cpu_seconds

    def spent(self) -> str:
        """Describe the time allowed and used, for messages."""
        return (f"{super().spent()}, and {seconds_text(self._cpu_budget)} s of CPU time for the start and the "
                f"handshake, of which {seconds_text(self._cpu_seconds())} s were used")

    def wait(self) -> float:
        """Return the seconds to wait before the next check; 0 or less if either time is up."""
        cpu_left = self._cpu_budget - self._cpu_seconds()
        return min(super().wait(), max(cpu_left, _SHORTEST_LOOK)) if cpu_left > 0 else 0.0

    def overspent(self) -> bool:
        """Return whether the CPU time is used up."""
        return self._cpu_seconds() >= self._cpu_budget


class TurnTimer:
    """Measures one turn from the creation of the timer, and says when its time is up.

    `budget` is the balance of the seat's clock. If CPU time is measured, the budget is CPU time, and a cap on
    wall-clock time catches bots that wait without working; it is high enough that no other bot reaches it. Calls
    `halfway` when half of the wall-clock time allowed for the turn has passed.
    """

    def __init__(self, budget: float, kind: ClockKind, cpu_seconds: Callable[[], float | None],
                 halfway: Callable[[], None] | None = None) -> None:
        self._cpu_seconds = cpu_seconds if kind is ClockKind.CPU else None
        self._budget = budget
        self._limit = budget + GRACE[kind]
        self._wall_cap = self._limit if self._cpu_seconds is None else max(4 * budget, budget + 1.0)
        self._halfway = _Halfway(self._wall_cap, halfway)
        self._cpu_began = self._read_cpu()
        self._began = time.monotonic()

    def wait(self) -> float:
        """Return the seconds to wait before the next check; 0 or less if the turn's time is up."""
        wall_left = self._halfway.clip(self._wall_cap - self.wall())
        if self._cpu_seconds is None:
            return wall_left
        cpu_left = self._limit - (self._read_cpu() - self._cpu_began)
        if cpu_left <= 0:
            return 0.0
        return min(wall_left, max(cpu_left, _SHORTEST_LOOK))

    def wall(self) -> float:
        """Return the wall-clock seconds since the turn began."""
        return time.monotonic() - self._began

    def charged(self) -> float:
        """Return the seconds that the turn is charged if it ends now."""
        return self.wall() if self._cpu_seconds is None else self._read_cpu() - self._cpu_began

    def overspent(self) -> bool:
        """Return whether the turn used up the budget and the grace in CPU time; False if CPU time is not measured."""
        return self._cpu_seconds is not None and self.charged() >= self._limit

    def spent(self) -> str:
        """Describe the time left and used, for messages."""
        cpu = "" if self._cpu_seconds is None else f"{seconds_text(self.charged())} s of CPU time, "
        owed = f" and {seconds_text(-self._budget)} s owed" if self._budget < 0 else ""
        left = f"{seconds_text(max(0.0, self._budget))} s were left{owed}"
        return f"{left}, {cpu}{seconds_text(self.wall())} s of wall time were used"

    def _read_cpu(self) -> float:
        if self._cpu_seconds is None:
            return 0.0
        used = self._cpu_seconds()
        # CPU time was available when the game started. If it no longer is, the host is at fault, not the bot.
        if used is None:
            raise RuntimeError("the sandbox stopped metering CPU time in the middle of a game")
        return used
