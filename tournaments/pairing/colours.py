"""The first mover in Swiss pairings: FIDE's colour allocation (Handbook C.04.3, article E, in force since 2026). Pure.

White has seat 0 in the first game of the match. For colours, the library that finds the pairs ranks two players only by
their numbers, while the rules compare their scores first; so colours are allocated here.
"""

from dataclasses import dataclass
from enum import IntEnum

WHITE, BLACK = "white", "black"


class Strength(IntEnum):
    """Strength of a colour preference (C.04.3, A.6)."""

    NONE = 0
    MILD = 1
    STRONG = 2
    ABSOLUTE = 3


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pair: its number from 0, its score, and its colours in the matches that it played, in order."""

    number: int
    score: float
    colours: tuple[str, ...]

    @property
    def difference(self) -> int:
        """Number of whites minus number of blacks."""
        return self.colours.count(WHITE) - self.colours.count(BLACK)

    @property
    def strength(self) -> Strength:
        if abs(self.difference) > 1 or (len(self.colours) > 1 and self.colours[-1] == self.colours[-2]):
            return Strength.ABSOLUTE
        if self.difference:
            return Strength.STRONG
        return Strength.MILD if self.colours else Strength.NONE

    @property
    def preference(self) -> str | None:
        """Colour due: the opposite of two equal ones in a row, else the less frequent, else not the last."""
        if not self.colours:
            return None
        last = self.colours[-1]
        if abs(self.difference) > 1:
            return BLACK if self.difference > 0 else WHITE
        if self.colours[-2:] != (last, last) and self.difference:
            return BLACK if self.difference > 0 else WHITE
        return other(last)


def other(colour: str) -> str:
    """Return the opposite colour."""
    return BLACK if colour == WHITE else WHITE


def white_of(one: Side, two: Side) -> int:
    """Return the number of the side that has white, by the first of the rules E.1 to E.5 that decides."""
    higher, lower = sorted((one, two), key=lambda side: (-side.score, side.number))
    colour = _by_preference(higher, lower) or _by_history(higher, lower) or higher.preference
    if colour is None:
        # E.5: the initial colour is white. The rule counts numbers from 1.
        colour = WHITE if higher.number % 2 == 0 else BLACK
    return higher.number if colour == WHITE else lower.number


def _by_preference(higher: Side, lower: Side) -> str | None:
    """E.1: both preferences. E.2: the stronger one; of two absolute ones, the one with the larger difference."""
    if higher.preference != lower.preference and None not in (higher.preference, lower.preference):
        return higher.preference
    by = (higher.strength, lower.strength)
    if by == (Strength.ABSOLUTE, Strength.ABSOLUTE):
        by = (abs(higher.difference), abs(lower.difference))
    if by[0] == by[1]:
        return None
    return higher.preference if by[0] > by[1] else other(lower.preference or BLACK)


def _by_history(higher: Side, lower: Side) -> str | None:
    """E.3: the reverse of the colours in the most recent round in which they differed."""
    for mine, theirs in zip(reversed(higher.colours), reversed(lower.colours), strict=False):
        if mine != theirs:
            return theirs
    return None
