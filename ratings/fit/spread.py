"""The spread of a ladder's ratings, learned from its games: the standard deviation σ of the ratings' normal prior.

Empirical Bayes: the σ that makes the results likely (C. N. Morris, "Parametric Empirical Bayes Inference: Theory and
Applications", JASA 78, 1983). Its likelihood is Laplace's approximation of the integral over all ratings (L. Tierney,
J. B. Kadane, "Accurate Approximations for Posterior Moments and Marginal Densities", JASA 81, 1986), around a fit. σ
has itself a prior: log-normal around 350 Elo, with the standard deviation 1 of log σ. So two bots do not get the spread
0 because their first games were even.
"""

import math
from typing import Final, NamedTuple

import numpy as np

from ratings.fit.davidson import ELO, Fit
from ratings.fit.likelihood import Curvature, Likelihood
from ratings.fit.pairs import Floats
from ratings.fit.solver import Solver

TYPICAL: Final = 350.0
_WIDTH: Final = 1.0
# log σ of the points of the integral.
_GRID: Final = np.arange(math.log(2.0), math.log(20_000.0), 0.1)
# Maximum number of players for all eigenvalues; with more, a player's own games are enough.
_ALL: Final = 256
STEP: Final = 0.05
_TOLERANCE: Final = 1e-4


class Spread(NamedTuple):
    """The posterior of log σ, σ in Elo: its mean and variance."""

    log: float
    variance: float


FIRST: Final = Spread(math.log(TYPICAL), _WIDTH**2)


def learn(likelihood: Likelihood, fit: Fit) -> Spread:
    """The spread, by the likelihood around this fit."""
    _, curvature = likelihood.derivatives(fit.theta, fit.eta, fit.nu)
    p = likelihood.prior.rating
    known, axes = _directions(likelihood, curvature)
    # How the fit moves with log σ: at larger ratings, games tell less, and the integral is larger than around this fit.
    pull = np.concatenate([2.0 * p * fit.theta, np.zeros(2)])
    move = STEP * Solver(likelihood, curvature).solve(pull, _TOLERANCE)
    _, after = likelihood.derivatives(fit.theta + move[:-2], fit.eta + move[-2], fit.nu * math.exp(move[-1]))
    tilt = -0.5 * (_log_determinant(likelihood, after) - _log_determinant(likelihood, curvature)) / STEP
    log, variance = posterior(known, fit.theta if axes is None else axes.T @ fit.theta, np.asarray(p),
                              np.asarray(math.sqrt(ELO * fit.scale)), np.asarray(tilt))
    return Spread(float(log), float(variance))


def posterior(known: Floats, at: Floats, precision: Floats, scale: Floats, tilt: Floats) -> tuple[Floats, Floats]:
    """(…) the mean and variance of log σ, from a fit with the prior's `precision`, which is (scale / σ)².

    known: (…, n) the games' information about n independent directions; at: (…, n) the fit in these directions; tilt:
    (…) the slope in log σ of the integral's part that the information at the fit leaves out.
    """
    known, push = known[..., None, :], (((known + precision[..., None]) * at) ** 2)[..., None, :]
    q = (scale[..., None, None] / np.exp(_GRID)[:, None]) ** 2
    log = 0.5 * (np.log(q / (known + q)) + push / (known + q)).sum(axis=-1)
    log += tilt[..., None] * _GRID - 0.5 * ((_GRID - FIRST.log) / _WIDTH) ** 2
    weight = np.exp(log - log.max(axis=-1, keepdims=True))
    weight /= weight.sum(axis=-1, keepdims=True)
    mean = weight @ _GRID
    return mean, (weight * (_GRID - mean[..., None]) ** 2).sum(axis=-1)


def _directions(likelihood: Likelihood, curvature: Curvature) -> tuple[Floats, Floats | None]:
    """The games' information about independent directions, and the directions; None if they are the players."""
    if likelihood.players > _ALL:
        return np.maximum(curvature.diagonal[:-2] - likelihood.prior.rating, 0.0), None
    border = curvature.border @ np.linalg.solve(curvature.corner, curvature.border.T)
    n = likelihood.players
    # It reads the lower triangle only.
    known, axes = np.linalg.eigh(curvature.lower()[:n, :n] - likelihood.prior.rating * np.eye(n) - border)
    return np.maximum(known, 0.0), axes


def _log_determinant(likelihood: Likelihood, curvature: Curvature) -> float:
    """The logarithm of the determinant, or of the product of the diagonal for many players."""
    if likelihood.players > _ALL:
        return float(np.log(curvature.diagonal).sum())
    lower = curvature.lower()
    return float(np.linalg.slogdet(lower + np.tril(lower, -1).T)[1])
