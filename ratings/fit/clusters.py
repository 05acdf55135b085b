"""Σ s sᵀ over clusters of games, where s is a cluster's score: the middle of the sandwich covariance.

The components of a cluster's score are: for θ_low − θ_high, half of (`low`'s wins − losses) − n·mean + k·mean′; for η,
half of (the first seat's wins − losses) − n·mean − k·mean′; for log ν, draws − n·draw − k·draw′. Here n and k are the
games with `low` and with `high` in the first seat, and mean and draw the model's expectations for one game. So only the
products of these five numbers are needed from the moments.
"""

from typing import Final

import numpy as np

from ratings.fit.likelihood import Curvature, Likelihood, Side, blocks
from ratings.fit.pairs import TRIANGLE, Floats

_FIVE: Final = np.array([
    [0.5, 0.0, -0.5, -0.5, 0.0, 0.5],  # low's wins less losses, halved
    [0.5, 0.0, -0.5, 0.5, 0.0, -0.5],  # the first seat's
    [0.0, 1.0, 0.0, 0.0, 1.0, 0.0],    # draws
    [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],    # n
    [0.0, 0.0, 0.0, 1.0, 1.0, 1.0],    # k
])
# (15, 21): from a row of moments to the upper triangle of their products.
_PRODUCTS: Final = np.array([
    [a[i] * b[i] if i == j else a[i] * b[j] + a[j] * b[i] for i, j in zip(*TRIANGLE, strict=True)]
    for first, a in enumerate(_FIVE) for b in _FIVE[first:]
])


def scores(likelihood: Likelihood, theta: Floats, eta: float, nu: float) -> Curvature:
    """Σ s sᵀ over all clusters, plus the prior's precision."""
    if likelihood.table.alone:
        return _alone(likelihood, theta, eta, nu)
    return _clustered(likelihood, theta, eta, nu)


def _alone(likelihood: Likelihood, theta: Floats, eta: float, nu: float) -> Curvature:
    """The sum for a table in which every game is its own cluster."""
    pairs, border = np.zeros(len(likelihood.table.low)), np.zeros((likelihood.players, 2))
    by_both = by_log_nu = 0.0
    for side in likelihood.sides:
        square, tie = np.empty(len(side.games)), np.zeros(len(side.games))
        for block, mean, draw in side.expectations(theta, eta, nu):
            games, wins, draws = side.games[block], side.wins[block], side.draws[block]
            up = games * mean
            square[block] = 0.25 * (games - draws) + mean * (up - 2.0 * wins)
            if nu > 0.0:
                tie[block] = draw * (up - wins) - draws * mean
                by_both += float(tie[block].sum())
                by_log_nu += float((draws + draw * (games * draw - 2.0 * draws)).sum())
        pairs[side.rows] += square
        border[:, 0] += side.onto_players(square)
        border[:, 1] += side.onto_players(tie)
    return _with_prior(likelihood, pairs, border, (float(pairs.sum()), by_both, by_log_nu))


def _clustered(likelihood: Likelihood, theta: Floats, eta: float, nu: float) -> Curvature:
    """The sum for a table in which clusters may have several games."""
    m = len(likelihood.table.low)
    pairs, cross, tie = np.empty(m), np.empty(m), np.zeros(m)
    ee = et = tt = 0.0
    (means, draws), (others, levels) = (_expectations(side, m, theta, eta, nu) for side in likelihood.sides)
    for rows in blocks(m):
        yy, ys, yd, yn, yk, ss, sd, sn, sk, dd, dn, dk, nn, nk, kk = _PRODUCTS @ likelihood.table.moments[rows].T
        mean, draw, other, level = means[rows], draws[rows], others[rows], levels[rows]
        nm, km, mixed, crossed = nn * mean, kk * other, nk * mean, nk * other
        first, second, both = nm * mean, km * other, mixed * other
        pairs[rows] = yy + first + second + 2.0 * (yk * other - yn * mean - both)
        cross[rows] = ys - mean * (yn + sn) + other * (sk - yk) + first - second
        ee += float((ss + first + second + 2.0 * (both - sn * mean - sk * other)).sum())
        if nu > 0.0:
            tie[rows] = (
                yd + draw * (nm - yn - crossed) - mean * dn + level * (mixed - yk - km) + other * dk)
            et += float(
                (sd + draw * (nm - sn + crossed) - mean * dn + level * (mixed + km - sk) - other * dk).sum())
            tt += float((dd + draw * (nn * draw + 2.0 * (nk * level - dn)) + level * (kk * level - 2.0 * dk)).sum())
    border = np.stack([_onto_players(likelihood, cross), _onto_players(likelihood, tie)], axis=1)
    return _with_prior(likelihood, pairs, border, (ee, et, tt))


def _expectations(side: Side, pairs: int, theta: Floats, eta: float, nu: float) -> tuple[Floats, Floats]:
    """(m,) expected half results and draws, for all pairs of the table; zeros where the side has no games."""
    means, draws = np.zeros((2, len(side.games)))
    for block, mean, draw in side.expectations(theta, eta, nu):
        means[block], draws[block] = mean, draw
    if isinstance(side.rows, slice):
        return means, draws
    everywhere = np.zeros((2, pairs))
    everywhere[:, side.rows] = means, draws
    return everywhere[0], everywhere[1]


def _onto_players(likelihood: Likelihood, pairs: Floats) -> Floats:
    """(n,) the sum over each player's pairs where it is `low`, minus the sum where it is `high`."""
    upper, ones = likelihood.upper(pairs), np.ones(likelihood.players)
    total: Floats = upper @ ones - upper.T @ ones
    return total


def _with_prior(
    likelihood: Likelihood, pairs: Floats, border: Floats, corner: tuple[float, float, float]
) -> Curvature:
    p = likelihood.precision
    ee, et, tt = corner
    return Curvature(likelihood.upper(pairs), p, border, np.array([[ee + p, et], [et, tt + p]]))
