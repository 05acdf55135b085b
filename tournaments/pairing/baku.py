"""Baku acceleration of a Swiss: virtual points for the upper half in the first half of the rounds. Pure.

FIDE Handbook C.04.5.1. Virtual points count only for pairing, and are never in a table. The library that pairs the
rounds has a different acceleration (two rounds, no matter how many there are, and an upper half that may be odd), so it
is given the sum of both scores instead.
"""

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True)
class Baku:
    """Virtual points for an event of this size. Entrants are numbered from 0, the best seed first."""

    entrants: int
    rounds: int

    @property
    def upper(self) -> int:
        """Size of the upper group, GA: the first half of the draw, rounded up to an even number (Rule 2)."""
        return min(self.entrants, 2 * ceil(self.entrants / 4))

    @property
    def accelerated(self) -> int:
        """Number of accelerated rounds: the first half, rounded up (Rule 4)."""
        return ceil(self.rounds / 2)

    @property
    def full(self) -> int:
        """Number of accelerated rounds that give the upper group a whole point: the first half, rounded up."""
        return ceil(self.accelerated / 2)

    def in_round(self, number: int) -> float:
        """Return the upper group's virtual points for the pairing of round `number`: 1, then ½, then 0."""
        if number > self.accelerated:
            return 0.0
        return 1.0 if number <= self.full else 0.5

    def points(self, number: int, entrant: int) -> float:
        """Return this entrant's virtual points for the pairing of round `number`."""
        return self.in_round(number) if entrant < self.upper else 0.0
