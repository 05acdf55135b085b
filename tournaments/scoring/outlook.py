"""The number of pairs that a trial is expected to take from now on. Pure.

The log-likelihood ratio moves like a Brownian motion: its variance per pair is the information of the bounds, and its
mean depends on the strength of the candidate. The expected time to either bound is A. Wald's, "Sequential Tests of
Statistical Hypotheses", *Annals of Mathematical Statistics* 16, 1945, 117–186, without the overshoot.
"""

import math
from collections.abc import Sequence
from typing import Final

from ratings.sprt import Bounds
from tournaments.scoring.selection import FIRST_LEAD, LAST_INFORMATION

# The estimate of the strength counts as this many more pairs midway between elo0 and elo1.
_PRIOR_PAIRS: Final = 50
# Below this drift between the bounds, the formula without a drift is exact enough.
_NO_DRIFT: Final = 1e-6


def test_pairs(llr: float, pairs: int, normalized: float, bounds: Bounds, most_pairs: int) -> float:
    """Return the expected number of further pairs of the test, which has this ratio after this number of pairs.

    `normalized` is the normalized Elo that the candidate has shown.
    """
    low, high, information = llr - bounds.lower, bounds.upper - llr, bounds.information
    if low <= 0 or high <= 0:
        return 0.0
    place = (normalized - bounds.elo0) / (bounds.elo1 - bounds.elo0) - 0.5
    slope = 2.0 * place * pairs / (pairs + _PRIOR_PAIRS)
    if abs(slope) * (low + high) < _NO_DRIFT:
        needed = low * high
    else:
        # Of a motion with drift slope / 2 and variance 1 per unit of information.
        reach_high = _rise(-slope * low) / _rise(-slope * (low + high)) if slope > 0 else (
            1.0 - _rise(slope * high) / _rise(slope * (low + high)))
        needed = 2.0 * (high * reach_high - low * (1.0 - reach_high)) / slope
    return min(max(needed, 0.0) / information, max(0.0, most_pairs - pairs))


def selection_pairs(ratios: Sequence[float], turns: int, bounds: Bounds) -> float:
    """Return the expected number of further pairs of all candidates until one is left, if they are equally strong.

    The distance from the leader then has no drift, so on average it meets the shrinking lead where the lead equals
    today's distance.
    """
    if len(ratios) < 2:
        return 0.0
    leader = ratios.index(max(ratios))
    left = [max(0.0, LAST_INFORMATION * (1.0 - (ratios[leader] - ratio) / FIRST_LEAD) / bounds.information - turns)
            for place, ratio in enumerate(ratios) if place != leader]
    return sum(left) + max(left)


def _rise(exponent: float) -> float:
    """Return 1 − e^x for an x below 0."""
    return -math.expm1(max(exponent, -700.0))
