"""The chances of a sequential test that ends after a maximum number of pairs: pure arithmetic.

The log-likelihood ratio moves like a Brownian motion between two absorbing barriers. Its variance per pair is the
information of the bounds, and its drift depends on the candidate's strength.

Sources: D. R. Cox & H. D. Miller, *The Theory of Stochastic Processes*, 1965, section 5.7 (the series of the motion
between two barriers); D. Siegmund, *Sequential Analysis*, 1985, section 8.4: a motion that is looked at only after
each pair passes a barrier by 0.583 standard deviations of a pair on average, so the barriers are put so much farther
away.
"""

import math
from dataclasses import dataclass
from typing import Final

from ratings.sprt import Bounds

_OVERSHOOT: Final = 0.583
# Terms of the series: more change nothing if a barrier is within reach.
_TERMS: Final = 300
# Standard deviations that a normal variable practically never exceeds.
_SELDOM: Final = 8.0
# Below this drift, the formulas without a drift would be needed; the chances are the same to ten digits.
_LEAST_DRIFT: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Power:
    """The probabilities of a test's three ends."""

    passed: float
    failed: float
    inconclusive: float


def power(bounds: Bounds, most_pairs: int, worth: float) -> Power:
    """Return the chances of a version that is `worth` this normalized Elo, in a test of at most this many pairs.

    They assume that no pair repeats another one. `worth` is within a few gaps of the bounds.
    """
    shift = _OVERSHOOT * math.sqrt(bounds.information)
    start, width = shift - bounds.lower, bounds.upper - bounds.lower + 2.0 * shift
    drift = (worth - bounds.elo0) / (bounds.elo1 - bounds.elo0) - 0.5
    if abs(drift) < _LEAST_DRIFT:
        drift = _LEAST_DRIFT
    time = most_pairs * bounds.information
    if min(start, width - start) > _SELDOM * math.sqrt(time) + abs(drift) * time:
        # Neither barrier is within reach, and the series would converge slowly.
        return Power(0.0, 0.0, 1.0)
    ever = math.expm1(-2.0 * drift * start) / math.expm1(-2.0 * drift * width)
    inside = later = 0.0
    for term in range(1, _TERMS + 1):
        rate = term * math.pi / width
        weight = 2.0 / width * math.exp(-0.5 * (drift**2 + rate**2) * time - drift * start) * math.sin(rate * start)
        up, down = (_integral(term, rate, slope, width) for slope in (drift, -drift))
        inside += weight * up
        later += weight * (up - down) / -math.expm1(-2.0 * drift * width)
    passed = min(max(ever - later, 0.0), 1.0)
    inconclusive = min(max(inside, 0.0), 1.0 - passed)
    return Power(passed, 1.0 - passed - inconclusive, inconclusive)


def _integral(term: int, rate: float, slope: float, width: float) -> float:
    """Return the integral of e^(slope·y) sin(rate·y) over the width, which is `term` half waves."""
    return rate * (1.0 - (-1.0)**term * math.exp(slope * width)) / (slope**2 + rate**2)
