"""Glicko-2: pure arithmetic, from a rating period's games to ratings with their deviations and volatilities.

Source: M. E. Glickman, "Example of the Glicko-2 system", 2013, http://www.glicko.net/glicko/glicko2.pdf; the numbers of
the steps are its own. The cap on what idleness may do is from his "The Glicko system", 1995, step 1.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ratings import Z95

INITIAL: Final = 1500.0
INITIAL_DEVIATION: Final = 350.0
INITIAL_VOLATILITY: Final = 0.06
# How much volatility may change; Glickman: "reasonable choices are between 0.3 and 1.2".
TAU: Final = 0.5

# Elo in one unit of the system's own scale.
_SCALE: Final = 173.7178
_CONVERGED: Final = 1e-9
_ROUNDS: Final = 100
# Differences beyond 8,700 Elo count as that: further out a surprise would be larger than numbers are.
_FARTHEST: Final = 50.0


@dataclass(frozen=True, slots=True)
class Player:
    """A rating, its deviation (one standard error), both on the Elo scale, and how much the rating tends to change."""

    rating: float = INITIAL
    deviation: float = INITIAL_DEVIATION
    volatility: float = INITIAL_VOLATILITY

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval: 1.96 deviations to both sides."""
        return self.rating - Z95 * self.deviation, self.rating + Z95 * self.deviation


def weight(deviation: float) -> float:
    """Step 3's g: how much a game against an opponent of this deviation tells, 0 to 1."""
    phi = deviation / _SCALE
    return 1.0 / math.sqrt(1.0 + 3.0 * phi * phi / (math.pi * math.pi))


def expected_score(player: Player, opponent: Player) -> float:
    """Step 3's E: the score to expect of `player` in a game, above 0 and below 1."""
    exponent = weight(opponent.deviation) * (player.rating - opponent.rating) / _SCALE
    return 1.0 / (1.0 + math.exp(-min(max(exponent, -_FARTHEST), _FARTHEST)))


def rate(player: Player, games: Iterable[tuple[Player, float]], tau: float = TAU, elapsed: float = 1.0) -> Player:
    """The player after a rating period: opponents as they were before it, with the scores 1, 0.5 or 0 against them.

    `elapsed` is for periods that are not all as long: how much of a usual one has passed.
    """
    information = surprise = 0.0
    played = False
    for opponent, score in games:
        g, expected = weight(opponent.deviation), expected_score(player, opponent)
        # 1 − E as the opponent's expectation would round to 0 far out; the logistic curve's slope there does not.
        information += g * g * _slope(g * (player.rating - opponent.rating) / _SCALE)
        surprise += g * (score - expected)
        played = True
    return after(player, information, surprise, tau, elapsed) if played else idle(player, elapsed)


def after(player: Player, information: float, surprise: float, tau: float, elapsed: float) -> Player:
    """Steps 4 to 8: the player after games with Σ g²·E·(1 − E) and Σ g·(score − E)."""
    phi = player.deviation / _SCALE
    variance = 1.0 / information
    volatility = next_volatility(player.volatility, phi, variance, variance * surprise, tau)
    before = phi * phi + elapsed * volatility * volatility
    squared = 1.0 / (1.0 / before + 1.0 / variance)
    return Player(player.rating + _SCALE * squared * surprise, _SCALE * math.sqrt(squared), volatility)


def idle(player: Player, periods: float) -> Player:
    """Step 6 for a player without games, so many periods on: less is known of it, up to what is known of a newcomer."""
    grown = math.hypot(player.deviation, _SCALE * player.volatility * math.sqrt(periods))
    return Player(player.rating, min(grown, max(player.deviation, INITIAL_DEVIATION)), player.volatility)


def next_volatility(volatility: float, phi: float, variance: float, change: float, tau: float) -> float:
    """Step 5: the volatility after a period with this estimated `variance` and `change` (v and Δ), by the 2013 method.

    Regula falsi as modified in Illinois (M. Dowell & P. Jarratt, *BIT* 11, 1971, 168–174).
    """
    start = math.log(volatility * volatility)
    known = phi * phi + variance

    def excess(x: float) -> float:
        total = known + math.exp(x)
        return math.exp(x) * (change * change - total) / (2.0 * total * total) - (x - start) / (tau * tau)

    a = start
    if change * change > known:
        b = math.log(change * change - known)
    else:
        b = next(start - k * tau for k in range(1, _ROUNDS) if excess(start - k * tau) >= 0.0)
    at_a, at_b = excess(a), excess(b)
    for _ in range(_ROUNDS):
        if abs(b - a) <= _CONVERGED or at_a == at_b:
            break
        c = a + (a - b) * at_a / (at_b - at_a)
        at_c = excess(c)
        if at_c * at_b <= 0.0:
            a, at_a = b, at_b
        else:
            at_a /= 2.0
        b, at_b = c, at_c
    return math.exp(a / 2.0)


def rate_period(
    players: Sequence[Player], games: Iterable[tuple[int, int, float]], tau: float = TAU
) -> dict[int, Player]:
    """Those who played in a period, after it, by their place in `players`.

    A game is the places of first and second seat, and the first's score. Everybody's numbers are those from before.
    """
    sums: dict[int, list[tuple[Player, float]]] = {}
    for first, second, score in games:
        sums.setdefault(first, []).append((players[second], score))
        sums.setdefault(second, []).append((players[first], 1.0 - score))
    return {place: rate(players[place], played, tau) for place, played in sums.items()}


def _slope(exponent: float) -> float:
    """E·(1 − E) where E is the logistic curve."""
    small = math.exp(-min(abs(exponent), _FARTHEST))
    return small / ((1.0 + small) * (1.0 + small))
