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

from ratings.fit.clusters import centred, number, squares
from ratings.fit.covariance import Covariance
from ratings.fit.estimate import Estimated
from ratings.fit.pairs import Floats
from ratings.fit.student import two_sided

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


def evidence(estimated: Estimated, covariance: Covariance) -> Evidence:
    """The evidence of all pairs of the table, at its fit."""
    table = estimated.table
    counts, moments, games = table.counts, None if table.alone else table.moments, table.counts.sum(axis=1)
    clusters = number(counts, moments)
    excess = counts @ _LOW
    drawn = counts[:, 1] + counts[:, 4]
    means, expected, gradient = _expected(estimated)
    residual = excess - expected
    # The fit counts a pair's games as fewer new ones; leverage is in these.
    weight = _expected(estimated, new=True)[2]
    worth = np.divide(weight[:, 0], gradient[:, 0], out=np.ones(len(games)), where=gradient[:, 0] > 0.0)
    leverage = _leverage(covariance, weight) / worth**2
    model = gradient[:, 0] / worth
    enough = clusters >= _LEAST_CLUSTERS
    own = centred(squares(counts, moments, *means), residual, clusters)
    variance = np.maximum(model - leverage, own * (1.0 - leverage / np.maximum(model, 1e-300)))
    # Repeated games are no further points.
    new = np.minimum(clusters / games, worth)
    expects = np.minimum(games / 2.0 + expected, games / 2.0 - expected) * new >= _LEAST_POINTS
    even = np.maximum(centred(squares(counts, moments, *np.zeros((2, len(games)))), excess, clusters),
                      0.25 * (games - drawn) / worth)
    return Evidence(
        games=games, points=games / 2.0 + excess, expected=games / 2.0 + expected,
        unlike_fit=_tested(residual, variance, clusters, enough & expects),
        uneven=_tested(excess, even, clusters, enough & ((games - drawn) * new >= 2.0 * _LEAST_POINTS)),
    )


def _expected(estimated: Estimated, *, new: bool = False) -> tuple[tuple[Floats, Floats], Floats, Floats]:
    """(m,) expected half results in both seatings; (m,) the excess of points over half that the fit expects of `low`.

    Then its gradient, (m, 3), by θ_low − θ_high, by η and by log ν. For all games, or for the new ones they are worth.
    """
    fit, counts = estimated.fit, (estimated.likelihood.table if new else estimated.table).counts
    sides = estimated.likelihood.expected(fit.theta, fit.eta, fit.nu)
    expected, gradient = np.zeros(len(counts)), np.zeros((len(counts), 3))
    for sign, first, (mean, draw) in zip((1.0, -1.0), (0, 3), sides, strict=True):
        games = counts[:, first:first + 3].sum(axis=1)
        weight = games * (0.25 * (1.0 - draw) - mean * mean)
        expected += sign * games * mean
        gradient += np.stack([weight, sign * weight, -sign * games * draw * mean], axis=1)
    return (sides[0][0], sides[1][0]), expected, gradient


def _leverage(covariance: Covariance, gradient: Floats) -> Floats:
    """(m,) the variance of what the fit expects of a pair."""
    found = [covariance.of_pairs(gradient[start:start + _ROWS], start) for start in range(0, len(gradient), _ROWS)]
    return np.concatenate(found)


def _tested(value: Floats, variance: Floats, clusters: Floats, tested: np.ndarray) -> Floats:
    """(m,) the two-sided probabilities of values of mean zero; nan where not tested."""
    found = np.full(len(value), math.nan)
    for pair in np.flatnonzero(tested & (variance > 0.0)).tolist():
        found[pair] = two_sided(float(value[pair]) / math.sqrt(variance[pair]), float(clusters[pair]) - 1.0)
    return found
