"""What a series of games says of the first bot: its score, its Elo difference, and when enough is known (SPRT).

Games are taken to be independent. Where two games share an opening they are a little less than that, and the
interval is then a little too wide, never too narrow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log, log10, sqrt
from typing import Final

# The normal distribution's 97.5 % point.
_Z95: Final = 1.959963984540054
_POINTS: Final = (0.0, 0.5, 1.0)
# A result that has not occurred counts as this much of a game, or nothing could ever be told from 20 wins.
_UNSEEN: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Tally:
    """How many games were won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """How many there were."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0 to 1; one half before the first game."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    def plus(self, points: float) -> "Tally":
        """The tally with one more game: 1 won, ½ drawn, 0 lost."""
        return Tally(self.wins + (points == 1), self.draws + (points == 0.5), self.losses + (points == 0))


def interval(tally: Tally) -> tuple[float, float]:
    """A 95 % interval for the score: Wilson's (1927, JASA 22, 209–212), with the points for the successes.

    It is a binomial's. Draws only lessen the variance of a game, so with draws it is wider than it need be.
    """
    games, score = tally.games, tally.score
    if not games:
        return 0.0, 1.0
    z2 = _Z95 * _Z95
    centre = (score + z2 / (2 * games)) / (1 + z2 / games)
    half = _Z95 * sqrt(score * (1 - score) / games + z2 / (4 * games * games)) / (1 + z2 / games)
    # At the ends rounding would leave a crumb.
    return (0.0 if score == 0 else centre - half), (1.0 if score == 1 else centre + half)


def elo_of(score: float) -> float:
    """The Elo difference at which a score is expected: 400 log10(s / (1 − s)) (Elo 1978, logistic form)."""
    if score <= 0:
        return -inf
    return inf if score >= 1 else 400 * log10(score / (1 - score))


def score_of(elo: float) -> float:
    """The score that is expected at an Elo difference."""
    return float(1 / (1 + 10 ** (-elo / 400)))


@dataclass(frozen=True, slots=True)
class Sprt:
    """Wald's sequential test of two Elo differences (1945, Annals of Mathematical Statistics 16, 117–186).

    `alpha` is the risk of calling elo1 when elo0 is true, `beta` that of the opposite.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test ends for elo0 and for elo1."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, tally: Tally) -> float:
        """How much better elo1 explains the results than elo0 does, 0 before the first game.

        Neither says how many draws there are, so each gets, of the distributions over loss, draw and win with its
        score, the one under which the results are likeliest. How to find it: M. Van den Bergh, "Maximum likelihood
        estimation of a multinomial distribution with a given expectation", proposition 1.1,
        https://hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf
        """
        if not tally.games:
            return 0.0
        seen = [max(float(count), _UNSEEN) for count in (tally.losses, tally.draws, tally.wins)]
        total = sum(seen)
        shares = [count / total for count in seen]
        first, second = (_likeliest(shares, score_of(elo)) for elo in (self.elo0, self.elo1))
        return sum(count * log(two / one) for count, one, two in zip(seen, first, second, strict=True))

    def accepts(self, tally: Tally) -> float | None:
        """The difference that the test has settled for, or None as long as it has to go on."""
        ratio, (lower, upper) = self.log_likelihood_ratio(tally), self.bounds
        if lower < ratio < upper:
            return None
        return self.elo1 if ratio >= upper else self.elo0


def _likeliest(shares: list[float], score: float) -> list[float]:
    """The distribution of this mean under which the shares are likeliest: p / (1 + t (a − score)) for some t."""
    away = [points - score for points in _POINTS]

    def mean_at(t: float) -> float:
        return sum(share * a / (1 + t * a) for share, a in zip(shares, away, strict=True))

    # Every 1 + t·a must be above 0; between these ends the mean falls from +∞ to −∞.
    t = _root(mean_at, -1 / away[-1], -1 / away[0])
    return [share / (1 + t * a) for share, a in zip(shares, away, strict=True)]


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function is 0, to the last bit, by halving."""
    while low < (middle := (low + high) / 2) < high:
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return middle
