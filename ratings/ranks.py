"""Rank intervals and probabilities of superiority, from rating differences and their covariances."""

import math
from typing import Final

import numpy as np

from ratings import Z95
from ratings.fit.covariance import Matrix
from ratings.fit.pairs import Floats, Ints

_BLOCK: Final = 256


def superiority(difference: float, variance: float) -> float:
    """The probability that a difference estimated with that variance is positive: Φ(difference / error)."""
    if variance <= 0.0:
        return 0.5 + 0.5 * float(np.sign(difference))
    return 0.5 * math.erfc(-difference / math.sqrt(2.0 * variance))


def rank_intervals(rating: Floats, variance: Floats, matrix: Matrix | None) -> tuple[Ints, Ints]:
    """(n,) the best and the worst possible rank of each player of one component.

    A player is above another if the 95 % interval of their difference excludes zero. Without a matrix, covariances are
    taken as zero.
    """
    n = len(rating)
    above, below = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    own = variance.astype(np.float32)
    for start in range(0, n, _BLOCK):
        rows = slice(start, start + _BLOCK)
        gap = (rating[rows, None] - rating).astype(np.float32)
        spread = own[rows, None] + own
        if matrix is not None:
            spread -= 2.0 * matrix[rows]
        spread *= np.float32(Z95**2)
        better = (gap * np.abs(gap)) > np.maximum(spread, 0.0)
        below[rows] = better.sum(axis=1)
        above += better.sum(axis=0)
    return above + 1, n - below
