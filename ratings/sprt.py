"""The sequential test of one version against another, on game pairs: pure arithmetic.

A pair is two games from one opening with the seats changed, so it scores 0, ½, 1, 1½ or 2 points; the counts of these
five are all that the test needs (the pentanomial model). What it tests is normalized Elo: how many standard deviations
of a game the mean score is above one half, times 800 / ln 10. Where few games are drawn it is close to Elo.

Sources: A. Wald, "Sequential Tests of Statistical Hypotheses", *Annals of Mathematical Statistics* 16, 1945, 117–186
(the bounds); M. Van den Bergh, "A practical introduction to normalized Elo",
https://hardy.uhasselt.be/Fishtest/normalized_elo_practical.pdf (the generalized test of pairs).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Literal

from ratings import Z95
from ratings.fit.constrained_fit import constrained_fit, moments

_NORMAL: Final = NormalDist()
# Normalized Elo of one standard deviation of a game: the slope of the logistic Elo curve at equality.
_ELO_PER_DEVIATION: Final = 800.0 / math.log(10.0)
# A result that has not occurred counts as this much of a pair, or nothing could ever be told from 20 pairs won 2–0.
_UNSEEN: Final = 1e-3
# Scores nearer than this to 0 or 1 count as this far: Elo ends at ±1,200.
_NEAREST: Final = 1e-3
# What `constrained_fit` has been tried for; a test that wide ends within a few dozen pairs.
WIDEST: Final = 100.0
# What a risk may be: this or more, and less than that.
LEAST_RISK: Final = 1e-6
RISK_BELOW: Final = 0.5


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is tested: `elo1` against `elo0`, in normalized Elo.

    `alpha` is the risk of passing a version that is only worth elo0, `beta` that of failing one that is worth elo1.
    Numbers that make no test are refused with a ValueError.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for elo in (self.elo0, self.elo1):
            if not abs(elo) <= WIDEST:
                raise ValueError(f"{elo:g} normalized Elo cannot be tested: give from -{WIDEST:g} to {WIDEST:g}")
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 has to be below elo1, and {self.elo0:g} is not below {self.elo1:g}")
        for name, risk in (("alpha", self.alpha), ("beta", self.beta)):
            if not LEAST_RISK <= risk < RISK_BELOW:
                raise ValueError(f"{name} is a risk: give at least 0.000001 and less than 0.5, not {risk:g}")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which the test fails: ln(β / (1 − α)) (Wald 1945)."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which the test is passed: ln((1 − β) / α)."""
        return math.log((1.0 - self.beta) / self.alpha)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a test stands.

    `elo`, `low` and `high` are logistic Elo with its 95 % interval, ±1,200 at most; `normalized` is normalized Elo;
    `superiority` the probability that the version is the stronger one. They take the number of pairs as given: after
    a test that has ended they lean a little to the side on which it ended.
    """

    llr: float
    lower: float
    upper: float
    state: Literal["running", "passed", "failed"]
    pairs: int
    games: int
    elo: float
    low: float
    high: float
    normalized: float
    superiority: float


def judge(pentanomial: Sequence[int], bounds: Bounds) -> Verdict:
    """Where the test stands after these pairs: how many scored 0, ½, 1, 1½ and 2 points.

    Without pairs nothing is known: the ratio is 0 and the interval as wide as the scale.
    """
    if len(pentanomial) != 5 or any(count < 0 or count != int(count) for count in pentanomial):
        raise ValueError(f"a pentanomial is five counts, none below 0, not {list(pentanomial)}")
    pairs = sum(pentanomial)
    llr = log_likelihood_ratio(pentanomial, bounds)
    elo, low, high, superiority = estimate(pentanomial)
    return Verdict(
        llr=llr, lower=bounds.lower, upper=bounds.upper,
        state="passed" if llr >= bounds.upper else "failed" if llr <= bounds.lower else "running",
        pairs=pairs, games=2 * pairs, elo=elo, low=low, high=high,
        normalized=normalized_elo(pentanomial), superiority=superiority,
    )


def log_likelihood_ratio(counts: Sequence[int], bounds: Bounds) -> float:
    """How much better elo1 explains the results than elo0 does: above 0 if it does, 0 before the first pair.

    `counts` are of results from the worst to the best in equal steps: five of pairs, or three of single games. Neither
    hypothesis says how often which result occurs; each gets, of the distributions with its t-value, the one under
    which the results are likeliest (the generalized test).
    """
    if not sum(counts):
        return 0.0
    shares, total = _shares(counts)
    # A pair's mean score has half the variance of a game's.
    scale = math.sqrt((len(counts) - 1) / 2.0) / _ELO_PER_DEVIATION
    under0, under1 = (constrained_fit(shares, elo * scale) for elo in (bounds.elo0, bounds.elo1))
    return total * sum(share * math.log(one / nought)
                       for share, nought, one in zip(shares, under0, under1, strict=True))


def normalized_elo(counts: Sequence[int]) -> float:
    """The normalized Elo that these results show; 0 before the first."""
    if not sum(counts):
        return 0.0
    shares, _ = _shares(counts)
    mean, variance = moments(shares)
    return (mean - 0.5) / math.sqrt(variance * (len(counts) - 1) / 2.0) * _ELO_PER_DEVIATION


def logistic_elo(score: float) -> float:
    """The Elo difference at which a score is expected: 400 log10(s / (1 − s)), from −1,200 to 1,200."""
    inside = min(max(score, _NEAREST), 1.0 - _NEAREST)
    return 400.0 * math.log10(inside / (1.0 - inside))


def estimate(counts: Sequence[int]) -> tuple[float, float, float, float]:
    """Logistic Elo with its 95 % interval, and the probability of being the stronger one, as in `Verdict`."""
    pairs = sum(counts)
    if not pairs:
        return 0.0, logistic_elo(0.0), logistic_elo(1.0), 0.5
    if max(counts) == pairs:
        return _estimate_from_one_kind(list(counts).index(pairs) / (len(counts) - 1), pairs)
    shares, total = _shares(counts)
    mean, variance = moments(shares)
    error = math.sqrt(variance / total)
    return (logistic_elo(mean), logistic_elo(mean - Z95 * error), logistic_elo(mean + Z95 * error),
            _NORMAL.cdf((mean - 0.5) / error))


def _estimate_from_one_kind(score: float, pairs: int) -> tuple[float, float, float, float]:
    """The same where every pair scored the same, so that there is no variance to go by.

    Another result has at most the probability p with (1 − p)^pairs = 2.5 % (C. J. Clopper & E. S. Pearson,
    *Biometrika* 26, 1934, 404–413); the interval is what it would do if it were the worst or the best one. The
    probability is that of Bayes and Laplace, with every share as likely before: 1 − 2^−(pairs + 1).
    """
    other = 1.0 - math.pow(0.025, 1.0 / pairs)
    surely = 1.0 - math.pow(0.5, pairs + 1)
    superiority = 0.5 if score == 0.5 else surely if score > 0.5 else 1.0 - surely
    return (logistic_elo(score), logistic_elo(score * (1.0 - other)), logistic_elo(score * (1.0 - other) + other),
            superiority)


def _shares(counts: Sequence[int]) -> tuple[list[float], float]:
    """The share of each result, none of them 0, and how many results there are."""
    seen = [float(count) or _UNSEEN for count in counts]
    total = sum(seen)
    return [count / total for count in seen], total
