"""Pairs of games that repeat earlier ones turn for turn: bots without chance play an opening the same way each time.

Nothing is learnt from such a pair, so a test counts it once, and ends when nothing new comes. Pure.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

# After this many pairs in a row that repeated earlier ones no more are played.
REPEATS_IN_ROW: Final = 30


def fingerprint(opening: Sequence[str], games: Iterable[tuple[int, Sequence[str]]]) -> str:
    """A hash of all that was played in a pair: equal for equal games from the same opening, in either order.

    Of each game, a number that says who moved first, and the turns.
    """
    played = sorted([first, *turns] for first, turns in games)
    return sha256(json.dumps([list(opening), played]).encode()).hexdigest()[:16]


@dataclass(slots=True)
class Repeats:
    """The pairs that were played, by their fingerprints."""

    in_a_row: int = 0
    _seen: set[str] = field(default_factory=set)

    def is_new(self, pair: str) -> bool:
        """Whether no earlier pair was the same; from now on, this one is an earlier one."""
        if pair in self._seen:
            self.in_a_row += 1
            return False
        self._seen.add(pair)
        self.in_a_row = 0
        return True

    @property
    def exhausted(self) -> bool:
        """Whether nothing new has come for so long that nothing will."""
        return self.in_a_row >= REPEATS_IN_ROW
