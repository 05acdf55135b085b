"""The limit of a repeated look: how many standard errors a difference needs, if it is tested after every batch.

Pocock's constant limit ("Group sequential methods in the design and analysis of clinical trials", Biometrika 64, 1977),
for looks whose information grows by a constant factor. The probability of crossing comes from the recursion of
Armitage, McPherson & Rowe ("Repeated significance tests on accumulating data", JRSS A 132, 1969). Published values:
C. Jennison & B. W. Turnbull, *Group Sequential Methods with Applications to Clinical Trials*, 2000, table 2.1.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from ratings.fit.pairs import Floats

ALPHA: Final = 0.05
_NODES: Final = 96
_DIGITS: Final = 4


def crossing(limit: float, information: Sequence[float]) -> float:
    """The probability that |z| reaches `limit` at any look, without a difference.

    `information` grows from look to look; only its ratios matter.
    """
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    z, weights = limit * points, limit * weights
    density: Floats = np.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi)
    for before, after in pairwise(information):
        share = before / after
        spread = math.sqrt(1.0 - share)
        step = (z[:, None] - math.sqrt(share) * z[None, :]) / spread
        density = np.exp(-step * step / 2.0) / (spread * math.sqrt(2.0 * math.pi)) @ (weights * density)
    return 1.0 - float(weights @ density)


@lru_cache(maxsize=64)
def limit_of(looks: int, growth: float, alpha: float = ALPHA) -> float:
    """The limit that `looks` looks cross with the probability `alpha`, if information grows by `growth` between them.

    Raises ValueError for no looks, and for information that does not grow.
    """
    if looks < 1 or not growth > 1.0:
        raise ValueError(f"a repeated look needs at least 1 look and a growth above 1, not {looks} and {growth}")
    return _limit(tuple(growth**look for look in range(looks)), alpha)


def equal_steps(looks: int, alpha: float = ALPHA) -> float:
    """Pocock's limit for looks after equal amounts of information."""
    return _limit(tuple(float(look) for look in range(1, looks + 1)), alpha)


def _limit(information: tuple[float, ...], alpha: float) -> float:
    low, high = 1.0, 6.0
    for _ in range(40):
        middle = (low + high) / 2.0
        low, high = (middle, high) if crossing(middle, information) > alpha else (low, middle)
    return round(high, _DIGITS)
