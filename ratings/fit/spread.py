"""The spread of a ladder's ratings, learned from its games: the standard deviation σ of the ratings' normal prior.

Empirical Bayes: the σ that makes the results likely (H. Robbins, 1956; C. N. Morris, "Parametric Empirical Bayes
Inference", JASA 78, 1983). The likelihood of σ is Laplace's approximation of the integral over all ratings, around a
fit. σ has itself a prior: log-normal around 350 Elo, with the standard deviation 1 of log σ. So two bots do not get the
spread zero because their first games were even.
"""

import math
from typing import Final, NamedTuple

import numpy as np

from ratings.fit.davidson import Fit
from ratings.fit.likelihood import Curvature, Likelihood
from ratings.fit.pairs import Floats

TYPICAL: Final = 350.0
_WIDTH: Final = 1.0
# log σ of the points of the integral.
_GRID: Final = np.arange(math.log(2.0), math.log(20_000.0), 0.1)
# Maximum number of players for all eigenvalues; with more, a player's own games are enough.
_ALL: Final = 256


class Spread(NamedTuple):
    """The posterior of log σ, σ in Elo: its mean and variance."""

    log: float
    variance: float


FIRST: Final = Spread(math.log(TYPICAL), _WIDTH**2)


def learn(likelihood: Likelihood, fit: Fit) -> Spread:
    """The spread, by the likelihood around this fit."""
    _, curvature = likelihood.derivatives(fit.theta, fit.eta, fit.nu)
    p = likelihood.prior.rating
    if likelihood.players <= _ALL:
        known, axes = np.linalg.eigh(_information(likelihood, curvature))
        known, at = np.maximum(known, 0.0), axes.T @ fit.theta
    else:
        known, at = np.maximum(curvature.diagonal[:-2] - p, 0.0), fit.theta
    log, variance = posterior(known, at, np.asarray(p), np.asarray(fit.scale))
    return Spread(float(log), float(variance))


def posterior(known: Floats, at: Floats, precision: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """(…) the mean and variance of log σ, from a fit with the prior's `precision`, (…), at `scale` Elo per unit.

    known: (…, n) the games' information about n independent directions; at: (…, n) the fit in these directions.
    """
    known, push = known[..., None, :], (((known + precision[..., None]) * at) ** 2)[..., None, :]
    q = (scale[..., None, None] / np.exp(_GRID)[:, None]) ** 2
    log = 0.5 * (np.log(q / (known + q)) + push / (known + q)).sum(axis=-1) - 0.5 * ((_GRID - FIRST.log) / _WIDTH) ** 2
    weight = np.exp(log - log.max(axis=-1, keepdims=True))
    weight /= weight.sum(axis=-1, keepdims=True)
    mean = weight @ _GRID
    return mean, (weight * (_GRID - mean[..., None]) ** 2).sum(axis=-1)


def _information(likelihood: Likelihood, curvature: Curvature) -> Floats:
    """(n, n) the games' information about θ, with η and log ν eliminated."""
    n, table = likelihood.players, likelihood.table
    h = np.zeros((n, n))
    h[table.low, table.high] = h[table.high, table.low] = -curvature.pairs
    h[np.diag_indices(n)] = curvature.diagonal[:n] - likelihood.prior.rating
    h -= curvature.border @ np.linalg.solve(curvature.corner, curvature.border.T)
    return h
