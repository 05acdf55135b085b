"""How one turn, or a wait that is not charged, is measured.

What a turn is charged is the CPU time of the bot's whole process tree, because on a busy host wall time
measures the neighbours (a true 20 ms of thinking was seen to take 393 ms); without such a meter, wall time.
"""

import time
from collections.abc import Callable
from typing import Final

from engines.records.time_control import GRACE, ClockKind, seconds_text

# A loop that spends CPU is looked at again when one thread could have used up the rest, but not more often.
_SHORTEST_LOOK: Final = 0.005


class _Halfway:
    """Calls once when half of the wall time allowed has gone: what is slow is looked at, and nothing else."""

    def __init__(self, allowed: float, call: Callable[[], None] | None) -> None:
        self._half = allowed / 2
        self._call = call

    def clip(self, left: float) -> float:
        """How long to wait when so much is left: not past the half before the call was made."""
        if self._call is None or left <= 0:
            return left
        if left > self._half:
            return left - self._half
        self._call()
        self._call = None
        return left


class Deadline:
    """A wall deadline so many seconds from now, for what is not charged. Calls `halfway` when half of it has gone."""

    def __init__(self, seconds: float, halfway: Callable[[], None] | None = None) -> None:
        self._seconds = seconds
        self._halfway = _Halfway(seconds, halfway)
        self._end = time.monotonic() + seconds

    def spent(self) -> str:
        """What was allowed, in words."""
        return f"{seconds_text(self._seconds)} s were allowed"

    def wait(self) -> float:
        """How many seconds to wait before looking again; 0 or less when time is up."""
        return self._halfway.clip(self._end - time.monotonic())

    def wall(self) -> float:
        """Wall seconds since the beginning."""
        return time.monotonic() - self._end + self._seconds

    def charged(self) -> float:
        """Nothing."""
        return 0.0

    def overspent(self) -> bool:
        """Whether more CPU time was used than allowed: never, as none is counted."""
        return False


class HandshakeDeadline(Deadline):
    """A wall deadline that bounds CPU time as well: what is not charged must not be had from the neighbours.

    `cpu_seconds` is what the bot's whole tree has used since its start, and at most `cpu_budget` of it are allowed.
    """

    def __init__(self, seconds: float, cpu_budget: float, cpu_seconds: Callable[[], float],
                 halfway: Callable[[], None] | None = None) -> None:
        super().__init__(seconds, halfway)
        self._cpu_budget = cpu_budget
        self._cpu_seconds = cpu_seconds

    def spent(self) -> str:
        """What was allowed and what was used, in words."""
        return (f"{super().spent()}, and {seconds_text(self._cpu_budget)} s of CPU time for the start and the "
                f"handshake, of which {seconds_text(self._cpu_seconds())} s were used")

    def wait(self) -> float:
        """How many seconds to wait before looking again; 0 or less when either time is up."""
        cpu_left = self._cpu_budget - self._cpu_seconds()
        return min(super().wait(), max(cpu_left, _SHORTEST_LOOK)) if cpu_left > 0 else 0.0

    def overspent(self) -> bool:
        """Whether more CPU time was used than allowed."""
        return self._cpu_seconds() >= self._cpu_budget


class TurnTimer:
    """Measures one turn from its making, and says when its time is up.

    `budget` is the balance of the seat's clock. With a CPU meter the budget is CPU time, and a wall cap
    catches bots that wait without working; it is wide enough that only they meet it. Calls `halfway`
    when half of the wall time that the turn may last has gone.
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
        """How many seconds to wait before looking again; 0 or less when the turn's time is up."""
        wall_left = self._halfway.clip(self._wall_cap - self.wall())
        if self._cpu_seconds is None:
            return wall_left
        cpu_left = self._limit - (self._read_cpu() - self._cpu_began)
        if cpu_left <= 0:
            return 0.0
        return min(wall_left, max(cpu_left, _SHORTEST_LOOK))

    def wall(self) -> float:
        """Wall seconds since the turn began."""
        return time.monotonic() - self._began

    def charged(self) -> float:
        """The seconds that the turn is charged if it ends now."""
        return self.wall() if self._cpu_seconds is None else self._read_cpu() - self._cpu_began

    def overspent(self) -> bool:
        """Whether more CPU time was used than the budget and its grace; never without a meter."""
        return self._cpu_seconds is not None and self.charged() >= self._limit

    def spent(self) -> str:
        """What was left and what was used, in words."""
        cpu = "" if self._cpu_seconds is None else f"{seconds_text(self.charged())} s of CPU time, "
        owed = f" and {seconds_text(-self._budget)} s owed" if self._budget < 0 else ""
        left = f"{seconds_text(max(0.0, self._budget))} s were left{owed}"
        return f"{left}, {cpu}{seconds_text(self.wall())} s of wall time were used"

    def _read_cpu(self) -> float:
        if self._cpu_seconds is None:
            return 0.0
        used = self._cpu_seconds()
        # The kind was chosen because the meter answers; if it stops, that is the host's fault, not the bot's.
        if used is None:
            raise RuntimeError("the sandbox stopped metering CPU time in the middle of a game")
        return used
