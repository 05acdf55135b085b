"""Detection of pairs of games that repeat earlier ones: bots without randomness always play an opening the same way.

Such a pair gives no new information, so a test counts it once, and ends when no new pairs appear. Pure.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

# Number of consecutive repeated pairs after which no more are played.
REPEATS_IN_ROW: Final = 30


def fingerprint(opening: Sequence[str], games: Iterable[tuple[int, Sequence[str]]]) -> str:
    """Return a hash of everything played in a pair: equal for equal games from the same opening, in either order.

    Each game is given by a number for the side that moved first, and its turns.
    """
    played = sorted([first, *turns] for first, turns in games)
    return sha256(json.dumps([list(opening), played]).encode()).hexdigest()[:16]


def shortened(turns: Iterable[str]) -> str:
    """Return a hash of a game's turns, so that thousands of games fit in memory."""
    return sha256("\n".join(turns).encode()).hexdigest()[:16]


@dataclass(slots=True)
class Repeats:
    """The pairs played so far, by their fingerprints."""

    in_a_row: int = 0
    _seen: set[str] = field(default_factory=set)

    def is_new(self, pair: str) -> bool:
        """Whether no earlier pair was the same. Also records this one."""
        if pair in self._seen:
            self.in_a_row += 1
            return False
        self._seen.add(pair)
        self.in_a_row = 0
        return True

    @property
    def exhausted(self) -> bool:
        """Whether there have been so many consecutive repeats that no new pair is expected."""
        return self.in_a_row >= REPEATS_IN_ROW
