"""Verdicts of judges on the positions of a game, and the turning points that follow from them. Pure.

The verdicts come from bots, and are stored as JSON: everything here treats them as untrusted input.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, Self

from engines.view import View

# Smaller changes of a chance are within the noise of a short search.
LEAST_FALL: Final = 0.2
MOST_POINTS: Final = 8
_TURN: Final = re.compile("[a-z0-9,]{1,2000}")
_REASON: Final = re.compile("[a-z ]{1,20}")


class Verdict(NamedTuple):
    """A judge's best turn in a position and its view of it, or the reason why the position was not judged."""

    turn: str = ""
    view: View | None = None
    reason: str = ""

    @property
    def win(self) -> float | None:
        """Chance of the side to move to win, as the judge sees it; None if it did not say."""
        return None if self.view is None else self.view.win

    def to_json(self) -> dict[str, str]:
        """Return the verdict as JSON data. The view is the line of the protocol, so that reading checks it again."""
        facts = {"turn": self.turn, "view": self.view.line() if self.view else "", "reason": self.reason}
        return {name: value for name, value in facts.items() if value}

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Return the verdict in this data; without a turn if the data are malformed. Raises nothing."""
        texts = [data.get(name, "") if isinstance(data, dict) else "" for name in ("turn", "view", "reason")]
        turn, view, reason = (text if isinstance(text, str) else "" for text in texts)
        if not _TURN.fullmatch(turn):
            return cls(reason=reason if _REASON.fullmatch(reason) else "")
        return cls(turn, View.parse(view))


def verdicts_from(data: Any, judges: int) -> list[tuple[Verdict, ...]]:
    """Return the stored verdicts by position, one per judge. Malformed ones have no turn."""
    rows = data if isinstance(data, list) else []
    return [tuple(Verdict.from_json(row[judge] if isinstance(row, list) and judge < len(row) else None)
                  for judge in range(judges)) for row in rows]


class TurningPoint(NamedTuple):
    """A turn after which the chance of its own side was lower: its number from 1, its seat, and both chances."""

    turn: int
    seat: int
    before: float
    after: float


def first_seats(verdicts: Sequence[Verdict], seats: Sequence[int]) -> list[float | None]:
    """Return the chance of seat 0 in each position, given the seat to move there; None where it is unknown."""
    return [None if verdict.win is None else verdict.win if seat == 0 else 1 - verdict.win
            for verdict, seat in zip(verdicts, seats, strict=False)]


def turning_points(chances: Sequence[float | None], seats: Sequence[int], *, first: int = 1) -> list[TurningPoint]:
    """Return the turns with the largest falls of the mover's own chance, by number.

    `chances` are those of seat 0 before each turn, and after the last one if that is known; `seats` are the movers'.
    The first of these turns has the number `first`. A turn without a chance on both sides is skipped.
    """
    found = []
    for number, ((before, after), seat) in enumerate(zip(pairwise(chances), seats, strict=False), start=first):
        if before is None or after is None:
            continue
        own = (before, after) if seat == 0 else (1 - before, 1 - after)
        if own[0] - own[1] >= LEAST_FALL:
            found.append(TurningPoint(number, seat, *own))
    largest = sorted(found, key=lambda point: (point.after - point.before, point.turn))[:MOST_POINTS]
    return sorted(largest)
