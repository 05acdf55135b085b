"""The evidence of each pair: its score against even, and against the score that the fit predicts.

Games of a pair from one opening depend on each other, so tests are of clusters, as the errors of ratings are. Clusters
may be few, and the normal distribution would then find too much: the tests are Student's. The number of clusters is
n²/Σ n_c² (L. Kish, *Survey Sampling*, 1965), which is exact for clusters of equal size. All outcomes of a few clusters
may be the same by chance, so a variance is at least that of independent games, times the ladder's overdispersion (P.
McCullagh, J. A. Nelder, *Generalized Linear Models*, 1989, 4.5.2).

The residual's variance allows for the fit to the same games: r − wᵀ H⁻¹ S, with w the gradient of the pair's expected
score, H⁻¹ the fit's inverse information and S the score of all games. D. R. Cox, D. V. Hinkley, *Theoretical
Statistics*, 1974, 9.3.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from ratings.fit.clusters import scores
from ratings.fit.covariance import Covariance
from ratings.fit.davidson import Fit
from ratings.fit.likelihood import Likelihood
from ratings.fit.pairs import TRIANGLE, Floats
from ratings.transitivity.student import two_sided

# Fewer points than this expected of the weaker player, repeats aside: the score's distribution is too skew to test.
_LEAST_POINTS: Final = 5.0
# A pair needs more than one cluster to estimate a variance from.
_LEAST_CLUSTERS: Final = 2.0 - 1e-9
_ROWS: Final = 2048
_LOW: Final = np.array([0.5, 0.0, -0.5, -0.5, 0.0, 0.5])


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """By pair of the table, (m,) each: games and points of the lower player, points that the fit expects of it.

    unlike_fit: the two-sided probability of a residual so large, nan for a pair that is not tested; uneven: the same of
    a score so far from half of the points.
    """

    games: Floats
    points: Floats
    expected: Floats
    unlike_fit: Floats
    uneven: Floats


def evidence(likelihood: Likelihood, fit: Fit, covariance: Covariance) -> Evidence:
    """The evidence of all pairs of the table, at its fit."""
    counts = likelihood.table.counts
    games = counts.sum(axis=1)
    excess = counts @ _LOW
    drawn = counts[:, 1] + counts[:, 4]
    expected, gradient = _expected(likelihood, fit)
    residual = excess - expected
    squares, clusters = _moments(likelihood)
    around_fit = scores(likelihood, fit.theta, fit.eta, fit.nu).pairs
    own = _centred(around_fit, residual, clusters)
    by_model, leverage, spread = _after_fit(covariance, gradient)
    # `gradient[:, 0]` is the variance of the pair's score by the model.
    share = leverage / np.maximum(gradient[:, 0], 1e-300)
    enough = clusters >= _LEAST_CLUSTERS
    repeats = max(1.0, float(own[enough].sum()) / max(float(gradient[enough, 0].sum()), 1e-300))
    variance = np.maximum(repeats * by_model, own * (1.0 - 2.0 * share) + spread)
    # Repeated games are no further points.
    new = clusters / games
    expects = np.minimum(games / 2.0 + expected, games / 2.0 - expected) * new >= _LEAST_POINTS
    even = np.maximum(_centred(squares, excess, clusters), repeats * 0.25 * (games - drawn))
    return Evidence(
        games=games, points=games / 2.0 + excess, expected=games / 2.0 + expected,
        unlike_fit=_tested(residual, variance, clusters, enough & expects),
        uneven=_tested(excess, even, clusters, enough & ((games - drawn) * new >= 2.0 * _LEAST_POINTS)),
    )


def _expected(likelihood: Likelihood, fit: Fit) -> tuple[Floats, Floats]:
    """(m,) the excess of points over half that the fit expects of the lower player; (m, 3) its gradient.

    The gradient is by θ_low − θ_high, by η and by log ν.
    """
    pairs = len(likelihood.table.low)
    expected, gradient = np.zeros(pairs), np.zeros((pairs, 3))
    for side in likelihood.sides:
        rows = np.arange(pairs)[side.rows]
        for block, mean, draw in side.expectations(fit.theta, fit.eta, fit.nu):
            here, games = rows[block], side.games[block]
            weight = games * (0.25 * (1.0 - draw) - mean * mean)
            expected[here] += side.sign * games * mean
            gradient[here, 0] += weight
            gradient[here, 1] += side.sign * weight
            gradient[here, 2] -= side.sign * games * draw * mean
    return expected, gradient


def _moments(likelihood: Likelihood) -> tuple[Floats, Floats]:
    """(m,) Σ over clusters of the square of the lower player's excess, and the number of clusters."""
    table = likelihood.table
    games = table.counts.sum(axis=1)
    if table.alone:
        return table.counts @ _LOW**2, games
    i, j = TRIANGLE
    twice = np.where(i == j, 1.0, 2.0)
    return table.moments @ (twice * _LOW[i] * _LOW[j]), games**2 / (table.moments @ twice)


def _centred(squares: Floats, total: Floats, clusters: Floats) -> Floats:
    """(m,) the variance of a total of clusters, from the spread of the clusters around their mean."""
    return np.maximum(squares - total**2 / clusters, 0.0) * clusters / np.maximum(clusters - 1.0, 1.0)


def _after_fit(covariance: Covariance, gradient: Floats) -> tuple[Floats, Floats, Floats]:
    """(m,) each: the residual's variance by the model, wᵀ H⁻¹ w, and wᵀ V w with the sandwich covariance V."""
    leverage, spread = np.zeros((2, len(gradient)))
    for start in range(0, len(gradient), _ROWS):
        rows = slice(start, start + _ROWS)
        leverage[rows], spread[rows] = covariance.of_pairs(gradient[rows], start)
    return gradient[:, 0] - leverage, leverage, spread


def _tested(value: Floats, variance: Floats, clusters: Floats, tested: np.ndarray) -> Floats:
    """(m,) the two-sided probabilities of values of mean zero; nan where not tested."""
    found = np.full(len(value), math.nan)
    for pair in np.flatnonzero(tested & (variance > 0.0)).tolist():
        found[pair] = two_sided(float(value[pair]) / math.sqrt(variance[pair]), float(clusters[pair]) - 1.0)
    return found
