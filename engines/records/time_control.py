"""Time: what a game allows, and what a seat has left.

Fischer time: a seat starts with the base and gets the increment after each of its turns. Or a fixed time
per turn, of which nothing is kept.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Final, Self

LONGEST_BASE: Final = 86_400.0
LONGEST_INCREMENT: Final = 3_600.0
LONGEST_TURN: Final = 3_600.0
_PER_TURN: Final = "/turn"


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
