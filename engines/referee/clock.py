"""Time: what a game allows, what a seat has left, and how one turn is measured.

Fischer time: a seat starts with the base and gets the increment after each of its turns. Or a fixed time
per turn, of which nothing is kept. What a turn is charged is the CPU time of the bot's whole process
tree, because on a busy host wall time measures the neighbours (a true 20 ms of thinking was seen to
take 393 ms); without such a meter, wall time.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Final, Self

LONGEST_BASE: Final = 86_400.0
LONGEST_INCREMENT: Final = 3_600.0
LONGEST_TURN: Final = 3_600.0
_PER_TURN: Final = "/turn"
# A loop that spends CPU is looked at again when one thread could have used up the rest, but not more often.
_SHORTEST_LOOK: Final = 0.005


class ClockKind(StrEnum):
    """What a game's clocks measure."""

    CPU = "cpu"
    WALL = "wall"


# A seat may owe its clock this much without losing; what a turn overran is taken off the next. It covers what no
# bot can plan for: waking up, pipes, cold caches. CPU time was seen 13 ms high on a 20 ms turn, wall time far more.
GRACE: Final = {ClockKind.CPU: 0.05, ClockKind.WALL: 0.25}


class TimeControlError(ValueError):
    """A time control that cannot be read or makes no sense; `str()` says what is wrong."""


def seconds_text(seconds: float) -> str:
    """Seconds as plain decimal text with at most three decimals: `5`, `0.1`, `4.372`."""
    return f"{seconds:.3f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Base time for the game and increment per turn, or a fixed time per turn: seconds, in whole milliseconds.

    Raises TimeControlError for a base that is not above 0 or not at most a day, an increment below 0 or
    above an hour, a time per turn above an hour, and one that comes with a base or an increment.
    """

    base: float = 0.0
    increment: float = 0.0
    per_turn: float = 0.0

    def __post_init__(self) -> None:
        for value, name in ((self.base, "base time"), (self.increment, "increment"), (self.per_turn, "time per turn")):
            if not isfinite(value) or round(value, 3) != value:
                raise TimeControlError(f"the {name} is a number of seconds in whole milliseconds, not {value!r}")
        if self.per_turn:
            if self.base or self.increment:
                raise TimeControlError("a fixed time per turn comes without a base and an increment")
            if not 0 < self.per_turn <= LONGEST_TURN:
                raise TimeControlError(
                    f"the time per turn is above 0 and at most {LONGEST_TURN:g} seconds, not {self.per_turn!r}")
        elif not 0 < self.base <= LONGEST_BASE:
            raise TimeControlError(f"the base time is above 0 and at most {LONGEST_BASE:g} seconds, not {self.base!r}")
        if not 0 <= self.increment <= LONGEST_INCREMENT:
            raise TimeControlError(f"the increment is 0 to {LONGEST_INCREMENT:g} seconds, not {self.increment!r}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """The time control written `BASE+INCREMENT`, `BASE` or `SECONDS/turn`, such as `5+0.1` or `0.5/turn`.

        Raises TimeControlError.
        """
        per_turn = text.endswith(_PER_TURN)
        parts = [text.removesuffix(_PER_TURN)] if per_turn else text.split("+")
        # float() would also take 1_0, nan and other scripts' digits.
        if len(parts) > 2 or any(not part or part.strip("0123456789.") or part.strip(".") == "" for part in parts):
            raise TimeControlError("a time control is seconds + seconds, such as 5+0.1, or seconds per turn, such as "
                                   f"0.5/turn, not {text[:40]!r}")
        try:
            numbers = [float(part) for part in parts]
        except ValueError:
            raise TimeControlError(f"{text[:40]!r} holds something that is not a number of seconds") from None
        if not per_turn:
            return cls(*numbers)
        if not numbers[0]:
            raise TimeControlError("the time per turn is above 0 seconds")
        return cls(per_turn=numbers[0])

    def __str__(self) -> str:
        if self.per_turn:
            return seconds_text(self.per_turn) + _PER_TURN
        return f"{seconds_text(self.base)}+{seconds_text(self.increment)}"


class Clock:
    """What a seat has left, in seconds, and whether it has lost on time.

    `balance` is below 0 while the seat owes more of the grace than its turns have brought since.
    """

    def __init__(self, control: TimeControl, kind: ClockKind) -> None:
        self.balance = control.per_turn or control.base
        self.flagged = False
        self.control = control
        self._grace = GRACE[kind]

    @property
    def remaining(self) -> float:
        """What the clock shows; 0 for a seat that is in debt."""
        return max(0.0, self.balance)

    def charge(self, seconds: float) -> float:
        """Take a turn's time off, then give what the next turn gets; returns what the clock shows.

        Sets `flagged`, and gives nothing, when the turn took more than what was left and what was left of the grace.
        """
        self.balance -= seconds
        self.flagged = self.balance < -self._grace
        if not self.flagged:
            kept = min(0.0, self.balance) if self.control.per_turn else self.balance
            self.balance = kept + (self.control.per_turn or self.control.increment)
        return self.remaining


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
