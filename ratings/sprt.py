"""The sequential test of one version against another, on game pairs: pure arithmetic.

A pair is two games from one opening with the seats swapped, so it scores 0, ½, 1, 1½ or 2 points; the counts of these
five are all that the test needs (the pentanomial model). The test is on normalized Elo: the distance of the mean score
from one half, in standard deviations of a game, times 800 / ln 10. If few games are drawn, it is close to Elo.

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
# Results that have not occurred count as this fraction of a pair. With 0, 20 pairs won 2–0 could not decide a test.
_UNSEEN: Final = 1e-3
# Minimum distance of scores from 0 and 1, which limits Elo to ±1,200.
_NEAREST: Final = 1e-3
# Limit for which `constrained_fit` has been tested; a test that wide ends within a few dozen pairs.
WIDEST: Final = 100.0
# Risks are at least LEAST_RISK and below RISK_BELOW.
LEAST_RISK: Final = 1e-6
RISK_BELOW: Final = 0.5


@dataclass(frozen=True, slots=True)
class Bounds:
    """The hypotheses of a test, `elo1` against `elo0` in normalized Elo, and its risks.

    `alpha` is the risk of passing a version of strength elo0, `beta` the risk of failing a version of strength elo1.
    Raises ValueError for numbers that do not define a test.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for elo in (self.elo0, self.elo1):
            if not abs(elo) <= WIDEST:
                raise ValueError(f"{elo:g} normalized Elo cannot be tested: use -{WIDEST:g} to {WIDEST:g}")
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be below elo1, but {self.elo0:g} is not below {self.elo1:g}")
        for name, risk in (("alpha", self.alpha), ("beta", self.beta)):
            if not LEAST_RISK <= risk < RISK_BELOW:
                raise ValueError(f"{name} is a risk: it must be at least 0.000001 and less than 0.5, not {risk:g}")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which the test fails: ln(β / (1 − α)) (Wald 1945)."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which the test passes: ln((1 − β) / α)."""
        return math.log((1.0 - self.beta) / self.alpha)

    @property
    def information(self) -> float:
        """The information of a pair: the squared distance of elo1 from elo0, in standard deviations of a pair's score.

        The log-likelihood ratio of a pair has about this variance. Its mean is plus half of this at elo1, and minus
        half of this at elo0.
        """
        return 2.0 * ((self.elo1 - self.elo0) / _ELO_PER_DEVIATION) ** 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of a test.

    `elo`, `low` and `high` are logistic Elo with its 95 % interval, within ±1,200; `normalized` is normalized Elo;
    `superiority` is the probability that the version is the stronger one. They treat the number of pairs as fixed, so
    after the end of a test they are slightly biased towards its verdict.
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
    """The state of the test after these pairs, given as counts of those that scored 0, ½, 1, 1½ and 2 points.

    Without pairs, the ratio is 0 and the interval spans the whole scale.
    """
    if len(pentanomial) != 5 or any(count < 0 or count != int(count) for count in pentanomial):
        raise ValueError(f"a pentanomial must be five counts, none below 0, not {list(pentanomial)}")
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
    """The log-likelihood ratio of elo1 to elo0: positive if elo1 explains the results better, 0 before the first pair.

    `counts` are of results from the worst to the best in equal steps: five for pairs, or three for single games. The
    hypotheses do not fix the shares of the results. For each, the likeliest distribution with its t-value is used (the
    generalized test).
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
    """The normalized Elo of these results; 0 without results."""
    if not sum(counts):
        return 0.0
    shares, _ = _shares(counts)
    mean, variance = moments(shares)
    return (mean - 0.5) / math.sqrt(variance * (len(counts) - 1) / 2.0) * _ELO_PER_DEVIATION


def logistic_elo(score: float) -> float:
    """The Elo difference with this expected score: 400 log10(s / (1 − s)), from −1,200 to 1,200."""
    inside = min(max(score, _NEAREST), 1.0 - _NEAREST)
    return 400.0 * math.log10(inside / (1.0 - inside))


def estimate(counts: Sequence[int]) -> tuple[float, float, float, float]:
    """Logistic Elo with its 95 % interval, and the probability of superiority, as in `Verdict`."""
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
    """The estimate if all pairs have the same score, so that there is no variance to estimate from.

    Any other result has at most the probability p with (1 − p)^pairs = 2.5 % (C. J. Clopper & E. S. Pearson,
    *Biometrika* 26, 1934, 404–413); the ends of the interval assume that it is the worst or the best result. The
    probability of superiority is Bayesian with Laplace's uniform prior: 1 − 2^−(pairs + 1).
    """
    other = 1.0 - math.pow(0.025, 1.0 / pairs)
    surely = 1.0 - math.pow(0.5, pairs + 1)
    superiority = 0.5 if score == 0.5 else surely if score > 0.5 else 1.0 - surely
    return (logistic_elo(score), logistic_elo(score * (1.0 - other)), logistic_elo(score * (1.0 - other) + other),
            superiority)


def _shares(counts: Sequence[int]) -> tuple[list[float], float]:
    """The share of each result, none of them 0, and the total number of results."""
    seen = [float(count) or _UNSEEN for count in counts]
    total = sum(seen)
    return [count / total for count in seen], total
