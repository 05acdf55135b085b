"""The tension of a running game, and the choice of the game that the director shows. Pure: no database, no clock.

The tension is a weighted sum of four parts, each from 0 (calm, or unknown) to 1:

- *stones*: the goal is near for both sides. With `a` and `b` stones to connect it is 1 / max(a, b), so that it is high
  only if both sides are close. Without such a count, it is the filled part of the board divided by 1 + the lead.
- *even*: the bots' last reported chances are near 50 %: 1 - |2p - 1|, with the mean `p` of both reports.
- *rating*: the mean rating, from 1000 (0) to 2500 (1).
- *standings*: the players are close in their event: 1 / (1 + points between them).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

WEIGHTS: Final = {"stones": 0.35, "even": 0.35, "rating": 0.15, "standings": 0.15}
_RATING_FROM: Final = 1000.0
_RATING_TO: Final = 2500.0
# Another game must be tenser by this much, for this time, before the director leaves a game that continues.
MARGIN: Final = 0.1
PATIENCE_SECONDS: Final = 10.0


class Facts(NamedTuple):
    """The facts about a game; each is None if it is unknown or does not apply.

    `stones` are the stones that seat 0 and seat 1 need to connect; None for a seat that is cut off. `lead` is the lead
    in the ruleset's own units if it does not count such stones, `filled` the part of the board with stones. `chance` is
    seat 0's, `rating` the mean of both, and `gap` the points between the players in their event.
    """

    stones: tuple[int | None, int | None] | None = None
    lead: int | None = None
    filled: float = 0.0
    chance: float | None = None
    rating: float | None = None
    gap: float | None = None


class Tension(NamedTuple):
    """The tension, 0 to 1, and the part that contributes most to it: a key of WEIGHTS, or "" without facts."""

    score: float
    reason: str


class Direction(NamedTuple):
    """The game that the director shows, and the time since when another one has been clearly tenser, if it has."""

    game: str
    challenged_since: float | None = None


def tension(facts: Facts) -> Tension:
    """Return the tension of a game with these facts."""
    shares = {name: WEIGHTS[name] * part for name, part in (
        ("stones", _near(facts)), ("even", _even(facts.chance)), ("rating", _high(facts.rating)),
        ("standings", 0.0 if facts.gap is None else 1.0 / (1.0 + facts.gap)))}
    most = max(shares, key=lambda name: shares[name])
    return Tension(sum(shares.values()), most if shares[most] else "")


def direct(before: Direction | None, scores: Mapping[str, float], now: float) -> Direction | None:
    """Return the game to show, given the last choice and the tension of each running game; None without games.

    The choice stays while its game runs, unless another game is tenser by MARGIN for PATIENCE_SECONDS. `now` is in
    seconds, like the times in `before`.
    """
    if not scores:
        return None
    # The first of equally tense games.
    best = max(scores, key=lambda game: scores[game])
    if before is None or before.game not in scores:
        return Direction(best)
    if scores[best] < scores[before.game] + MARGIN:
        return Direction(before.game)
    since = now if before.challenged_since is None else before.challenged_since
    return Direction(best) if now - since >= PATIENCE_SECONDS else Direction(before.game, since)


def _near(facts: Facts) -> float:
    if facts.stones is None:
        return 0.0 if facts.lead is None else facts.filled / (1.0 + facts.lead)
    first, second = facts.stones
    return 0.0 if first is None or second is None else 1.0 / max(first, second, 1)


def _even(chance: float | None) -> float:
    return 0.0 if chance is None else 1.0 - abs(2.0 * chance - 1.0)


def _high(rating: float | None) -> float:
    if rating is None:
        return 0.0
    return min(max((rating - _RATING_FROM) / (_RATING_TO - _RATING_FROM), 0.0), 1.0)
