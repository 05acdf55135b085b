"""Glicko-2: pure arithmetic, from a rating period's games to ratings with their deviations and volatilities.

Source: M. E. Glickman, "Example of the Glicko-2 system", 2013, http://www.glicko.net/glicko/glicko2.pdf; steps are
numbered as there. The cap on the deviation of idle players is from his "The Glicko system", 1995, step 1.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ratings import Z95

INITIAL: Final = 1500.0
INITIAL_DEVIATION: Final = 350.0
INITIAL_VOLATILITY: Final = 0.06
# Constrains changes of the volatility; Glickman: "reasonable choices are between 0.3 and 1.2".
TAU: Final = 0.5

# Elo per unit of the system's own scale.
_SCALE: Final = 173.7178
_CONVERGED: Final = 1e-9
_ROUNDS: Final = 100
# Differences are limited to 8,700 Elo: beyond that, a surprise would overflow.
_FARTHEST: Final = 50.0


@dataclass(frozen=True, slots=True)
class Player:
    """A rating and its deviation (one standard error), both on the Elo scale, and its volatility."""

    rating: float = INITIAL
    deviation: float = INITIAL_DEVIATION
    volatility: float = INITIAL_VOLATILITY

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval: the rating ± 1.96 deviations."""
        return self.rating - Z95 * self.deviation, self.rating + Z95 * self.deviation


def weight(deviation: float) -> float:
    """Step 3's g: the weight of a game against an opponent with this deviation, 0 to 1."""
    phi = deviation / _SCALE
    return 1.0 / math.sqrt(1.0 + 3.0 * phi * phi / (math.pi * math.pi))


def expected_score(player: Player, opponent: Player) -> float:
    """Step 3's E: the expected score of `player` in a game, between 0 and 1 exclusive."""
    exponent = weight(opponent.deviation) * (player.rating - opponent.rating) / _SCALE
    return 1.0 / (1.0 + math.exp(-min(max(exponent, -_FARTHEST), _FARTHEST)))


def rate(player: Player, games: Iterable[tuple[Player, float]], tau: float = TAU, elapsed: float = 1.0) -> Player:
    """The player after a rating period, given the opponents as before the period, and the scores (1, 0.5 or 0).

    `elapsed` is the length of the period relative to a standard one.
    """
    information = surprise = 0.0
    played = False
    for opponent, score in games:
        g, expected = weight(opponent.deviation), expected_score(player, opponent)
        # Not E·(1 − E): for large differences 1 − E rounds to 0, but the slope of the logistic curve does not.
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
    """Step 6 for a player without games for some periods: its deviation grows, up to that of a newcomer."""
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
    """The players with games in a period, as they are after it, by index in `players`.

    A game has the indices of the players in the first and the second seat, and the first seat's score. For all players,
    the ratings before the period are used.
    """
    sums: dict[int, list[tuple[Player, float]]] = {}
    for first, second, score in games:
        sums.setdefault(first, []).append((players[second], score))
        sums.setdefault(second, []).append((players[first], 1.0 - score))
    return {place: rate(players[place], played, tau) for place, played in sums.items()}


def _slope(exponent: float) -> float:
    """E·(1 − E), where E is the logistic curve."""
    small = math.exp(-min(abs(exponent), _FARTHEST))
    return small / ((1.0 + small) * (1.0 + small))
