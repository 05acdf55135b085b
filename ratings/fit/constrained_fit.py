"""The maximum-likelihood distribution of a score with a given t-value, for the sequential test. Pure arithmetic.

A score goes from 0 to 1 in equal steps; its t-value is (mean − ½) / standard deviation. Of all distributions with a
given t-value, the fit is the one that maximises the likelihood of the observed shares.

Sources: M. Van den Bergh, "A practical introduction to normalized Elo", section 4.1,
https://hardy.uhasselt.be/Fishtest/normalized_elo_practical.pdf; the same, "Maximum likelihood estimation of a
multinomial distribution with a given expectation", https://hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf,
proposition 1.1.

Near a distribution with mean μ and deviation σ, the condition is linear to first order, Σ p·a = 0 with
a = score − ½ − t·(σ + (μ − score)² / σ) / 2, and the likeliest distribution under a linear condition is
share / (1 + x·a) for some x. If that distribution has the same mean μ and deviation σ, it is a solution.
"""

import math
from collections.abc import Sequence
from typing import Final

_ROUNDS: Final = 200
# Smaller changes are rounding errors of the sums.
_NOTHING: Final = 1e-12


def moments(shares: Sequence[float]) -> tuple[float, float]:
    """The mean and variance of a score with these shares, from the worst result to the best."""
    steps = len(shares) - 1
    mean = sum(share * place for place, share in enumerate(shares)) / steps
    return mean, sum(share * (place / steps - mean) ** 2 for place, share in enumerate(shares))


def constrained_fit(shares: Sequence[float], t: float) -> list[float]:
    """The likeliest distribution with this t-value. No share may be 0.

    Starting from equal shares, the linear condition is solved repeatedly around its own solution. For t-values up to
    ±0.6 this has always converged, for any shares. Beyond that it may not converge, and far beyond it the condition has
    no solution.
    """
    now = [1.0 / len(shares)] * len(shares)
    for _ in range(_ROUNDS):
        mean, variance = moments(now)
        following = _tilted(shares, _away(len(shares) - 1, t, mean, math.sqrt(variance)))
        change = max(abs(old - new) for old, new in zip(now, following, strict=True))
        now = following
        if change < _NOTHING:
            break
    return now


def _away(steps: int, t: float, mean: float, deviation: float) -> list[float]:
    """The coefficient `a` of each result in the linear condition."""
    return [place / steps - 0.5 - t * (deviation + (mean - place / steps) ** 2 / deviation) / 2.0
            for place in range(steps + 1)]


def _tilted(shares: Sequence[float], away: Sequence[float]) -> list[float]:
    """The likeliest distribution with Σ p·away = 0.

    It is share / (1 + x·away) for the x that fulfils the condition. Denominators may come close to 0. To keep their
    precision, signs are chosen so that x is negative, and w = x + 1 / max(away) is used instead of x.
    """
    if sum(share * a for share, a in zip(shares, away, strict=True)) > 0.0:
        away = [-a for a in away]
    most = max(away)
    gaps = [(most - a) / most for a in away]
    low, high = 0.0, 1.0 / most
    w = high
    for _ in range(_ROUNDS):
        parts = [a / (gap + w * a) for gap, a in zip(gaps, away, strict=True)]
        value = sum(share * part for share, part in zip(shares, parts, strict=True))
        if value > 0.0:
            low = w
        else:
            high = w
        before, w = w, w + value / sum(share * part * part for share, part in zip(shares, parts, strict=True))
        if not low < w < high:
            w = (low + high) / 2.0
        if abs(w - before) <= 1e-15 * w:
            break
    return [share / (gap + w * a) for share, gap, a in zip(shares, gaps, away, strict=True)]
