"""Time controls and clocks.

Fischer time: a seat starts with the base time and gets the increment after each of its turns. Alternatively, a fixed
time per turn, which does not accumulate.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Final, Self

from engines.public import public

LONGEST_BASE: Final = 86_400.0
LONGEST_INCREMENT: Final = 3_600.0
LONGEST_TURN: Final = 3_600.0
_PER_TURN: Final = "/turn"


class ClockKind(StrEnum):
    """The kind of time that a game's clocks measure."""

    CPU = "cpu"
    WALL = "wall"


# A seat may overrun its clock by this much without losing; the overrun is deducted from the next turn. This covers
# costs that no bot can plan for, such as wake-ups, pipes and cold caches. In measurements, a 20 ms turn was charged
# up to 13 ms too much CPU time, and far more wall time.
GRACE: Final = {ClockKind.CPU: 0.05, ClockKind.WALL: 0.25}


@public("squarefield.referee")
class TimeControlError(ValueError):
    """A time control is malformed or out of range; `str()` says what is wrong."""


def seconds_text(seconds: float) -> str:
    """Return seconds as decimal text with at most three decimals: `5`, `0.1`, `4.372`."""
    return f"{seconds:.3f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Base time for the game and increment per turn, or a fixed time per turn: seconds, in whole milliseconds.

    Raises TimeControlError if the base is not above 0 and at most a day, the increment not between 0 and an hour, or
    the time per turn above an hour or combined with a base or an increment.
    """

    base: float = 0.0
    increment: float = 0.0
    per_turn: float = 0.0

    def __post_init__(self) -> None:
        for value, name in ((self.base, "base time"), (self.increment, "increment"), (self.per_turn, "time per turn")):
            if not isfinite(value) or round(value, 3) != value:
                raise TimeControlError(f"the {name} must be a number of seconds in whole milliseconds, not {value!r}")
        if self.per_turn:
            if self.base or self.increment:
                raise TimeControlError("a fixed time per turn cannot be combined with a base time or an increment")
            if not 0 < self.per_turn <= LONGEST_TURN:
                raise TimeControlError(
                    f"the time per turn must be above 0 and at most {LONGEST_TURN:g} seconds, not {self.per_turn!r}")
        elif not 0 < self.base <= LONGEST_BASE:
            raise TimeControlError(
                f"the base time must be above 0 and at most {LONGEST_BASE:g} seconds, not {self.base!r}")
        if not 0 <= self.increment <= LONGEST_INCREMENT:
            raise TimeControlError(
                f"the increment must be between 0 and {LONGEST_INCREMENT:g} seconds, not {self.increment!r}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a time control written as `BASE+INCREMENT`, `BASE` or `SECONDS/turn`, such as `5+0.1` or `0.5/turn`.

        Raises TimeControlError.
        """
        per_turn = text.endswith(_PER_TURN)
        parts = [text.removesuffix(_PER_TURN)] if per_turn else text.split("+")
        # float() would also accept 1_0, nan and the digits of other scripts.
        if len(parts) > 2 or any(not part or part.strip("0123456789.") or part.strip(".") == "" for part in parts):
            raise TimeControlError("a time control must be base + increment in seconds, such as 5+0.1, or seconds per "
                                   f"turn, such as 0.5/turn, not {text[:40]!r}")
        try:
            numbers = [float(part) for part in parts]
        except ValueError:
            raise TimeControlError(f"{text[:40]!r} contains something other than numbers of seconds") from None
        if not per_turn:
            return cls(*numbers)
        if not numbers[0]:
            raise TimeControlError("the time per turn must be above 0 seconds")
        return cls(per_turn=numbers[0])

    def __str__(self) -> str:
        if self.per_turn:
            return seconds_text(self.per_turn) + _PER_TURN
        return f"{seconds_text(self.base)}+{seconds_text(self.increment)}"


class Clock:
    """The clock of a seat: the seconds left, and whether the seat has lost on time.

    `balance` is negative while the seat has overrun its clock and has not yet made up for it.
    """

    def __init__(self, control: TimeControl, kind: ClockKind) -> None:
        self.balance = control.per_turn or control.base
        self.flagged = False
        self.control = control
        self._grace = GRACE[kind]

    @property
    def remaining(self) -> float:
        """Remaining seconds; 0 if the balance is negative."""
        return max(0.0, self.balance)

    def charge(self, seconds: float) -> float:
        """Deduct a turn's time, add the time for the next turn, and return the remaining seconds.

        If the turn took longer than the time left plus the grace left, set `flagged` and add nothing.
        """
        self.balance -= seconds
        self.flagged = self.balance < -self._grace
        if not self.flagged:
            kept = min(0.0, self.balance) if self.control.per_turn else self.balance
            self.balance = kept + (self.control.per_turn or self.control.increment)
        return self.remaining
