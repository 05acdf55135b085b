"""Baku acceleration of a Swiss: virtual points for the upper half in the first half of the rounds. Pure.

FIDE Handbook C.04.5.1. Virtual points count for pairing alone: they are never in a table. The library that pairs the
rounds has an acceleration of its own, which is another one (two rounds, whatever their number, and an upper half that
may be odd), so it is given the sum of both scores instead.
"""

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True)
class Baku:
    """The virtual points of an event of this size. Entrants are numbers from 0, the best seed first."""

    entrants: int
    rounds: int

    @property
    def upper(self) -> int:
        """How many belong to the upper group, GA: the first half, rounded up to an even number (Rule 2)."""
        return min(self.entrants, 2 * ceil(self.entrants / 4))

    @property
    def accelerated(self) -> int:
        """How many rounds are accelerated: the first half, rounded up (Rule 4)."""
        return ceil(self.rounds / 2)

    @property
    def full(self) -> int:
        """In how many of these the upper group has a whole point: the first half of them, rounded up."""
        return ceil(self.accelerated / 2)

    def in_round(self, number: int) -> float:
        """What the upper group has before round `number` is paired: 1, then ½, then nothing."""
        if number > self.accelerated:
            return 0.0
        return 1.0 if number <= self.full else 0.5

    def points(self, number: int, entrant: int) -> float:
        """What this entrant has before round `number` is paired."""
        return self.in_round(number) if entrant < self.upper else 0.0
