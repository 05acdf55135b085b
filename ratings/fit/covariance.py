"""Errors of fitted ratings: the covariance of their posterior, H⁻¹, and what the learned spread adds to it.

H is the negative Hessian of the log posterior, in which repeated games count as the new ones that they are worth
(`repeats`). The prior's spread σ is itself uncertain, so the variance of log σ adds u uᵀ times itself, with
u = dθ/d log σ: R. E. Kass & D. Steffey, "Approximate Bayesian Inference in Conditionally Independent Hierarchical
Models (Parametric Empirical Bayes Models)", JASA 84, 1989, equation 3.8.

Only the prior determines the mean of a component's θ: it is an eigenvector of H. It is removed here, which leaves
well-conditioned matrices. Only contrasts within a component are needed.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from ratings.fit.components import components
from ratings.fit.davidson import FLAT
from ratings.fit.estimate import Estimated
from ratings.fit.likelihood import Curvature, Likelihood
from ratings.fit.pairs import Floats, Ints
from ratings.fit.solver import Solver
from ratings.fit.student import quantile
from ratings.series import diagonals

# Maximum number of players for the full inverse; larger tables use a second-order formula.
EXACT: Final = 4000
# Maximum number of players for double precision. Single precision takes half the time, with an error below a thousandth
# of a standard error.
_DOUBLE: Final = 1000

# Degrees of freedom of a rating of which only the prior is known, chosen by simulation.
FREEDOM: Final = 4.0

_TOLERANCE: Final = 1e-9
_TILE: Final = 256

Matrix = NDArray[Any]


class Covariance:
    """The covariance of θ, η and log ν, in natural units, without component means (the prior's alone).

    exact: whether the full inverse was used (up to `limit` players). For more players, variances come from the
    second-order formula in `series`, accurate to some per cent, and there are no covariances.
    variance: (n,) of θ; eta, log_nu: variances; with_log_nu: (n,) covariances of θ and log ν. quantile: (n,) half
    width of the 95 % interval of a rating, in standard errors.
    """

    def __init__(self, estimated: Estimated, *, limit: int = EXACT) -> None:
        likelihood, fit = estimated.likelihood, estimated.fit
        n = self.players = likelihood.players
        self.component = components(likelihood.table)
        self._pairs = likelihood.table.low, likelihood.table.high
        self.exact = n <= limit
        self._prior = likelihood.prior.rating
        _, curvature = likelihood.derivatives(fit.theta, fit.eta, fit.nu)
        self._by_spread = _by_spread(estimated, Solver(likelihood, curvature)) if n else np.zeros(2)
        if self.exact:
            self._inverse = _inverted(likelihood, curvature, self.component)
            own, column = np.diagonal(self._inverse).astype(np.float64), self._inverse[:, n + 1].astype(np.float64)
        else:
            own, column = diagonals(likelihood, curvature), np.zeros(n + 2)
        rate = fit.nu / (2.0 + fit.nu)
        self.quantile = self._quantiles(own[:n], estimated.spread.variance, rate**2 * own[n + 1])
        whole = own + self._by_spread**2
        column = column + self._by_spread * self._by_spread[n + 1]
        self.variance: Floats = whole[:n]
        self.eta, self.log_nu = float(whole[n]), float(whole[n + 1]) if fit.nu > 0.0 else 0.0
        self.with_log_nu: Floats = column[:n] if fit.nu > 0.0 else np.zeros(n)

    def _quantiles(self, own: Floats, of_spread: float, of_draws: float) -> Floats:
        """(n,) Student's quantiles, because the variance of a rating is itself an estimate.

        The prior has the share s of what is known of a player, and games the rest. The prior's information is
        proportional to 1 / σ², that of games in Elo to 2 + ν. So the logarithm of the variance has the variance
        (2s)² var(log σ) + (1 − s)² var(log(2 + ν)), which is that of a chi-square with 2 / this degrees of freedom
        (F. E. Satterthwaite, "An Approximate Distribution of Estimates of Variance Components", Biometrics Bulletin 2,
        1946). A few more were chosen by simulation.
        """
        size = np.bincount(self.component)[self.component] if self.players else np.zeros(0)
        share = np.minimum(self._prior * own / np.maximum(1.0 - 1.0 / np.maximum(size, 1.0), 0.5), 1.0)
        freedom = FREEDOM + 2.0 / np.maximum(4.0 * share**2 * of_spread + (1.0 - share) ** 2 * of_draws, 1e-12)
        return quantile(freedom)

    def with_mean(self, weights: Floats) -> Floats:
        """(n,) covariances of every θ with the weighted sum of all θ."""
        if not self.exact:
            return weights * self.variance
        n = self.players
        u = self._by_spread[:n]
        column: Floats = (self._inverse[:n, :n] @ weights.astype(self._inverse.dtype)).astype(np.float64)
        return column + u * float(u @ weights)

    def of_pairs(self, gradient: Floats, first: int) -> Floats:
        """(rows,) wᵀ V w for pairs of the table from number `first`; needs `exact`.

        w is a row of `gradient`, (rows, 3): by θ_low − θ_high, η and log ν.
        """
        rows = np.arange(len(gradient))
        low, high = (side[first:first + len(rows)] for side in self._pairs)
        w = np.zeros((len(rows), self.players + 2), dtype=self._inverse.dtype)
        w[rows, low], w[rows, high], w[:, -2:] = gradient[:, 0], -gradient[:, 0], gradient[:, 1:]
        own: Floats = np.einsum("ij,ij->i", w @ self._inverse, w).astype(np.float64)
        return own + (w @ self._by_spread) ** 2

    def matrix(self) -> Matrix:
        """(n, n) covariances of all θ; only for `exact`."""
        n = self.players
        u = self._by_spread[:n].astype(self._inverse.dtype)
        whole: Matrix = np.outer(u, u)
        whole += self._inverse[:n, :n]
        return whole

    def of_island(self, size: int) -> float:
        """The variance of the mean of a component with `size` players, by the prior alone; 0 without a prior."""
        return 1.0 / (self._prior * size) if self._prior > FLAT.rating else 0.0


def contrast_variance(estimated: Estimated, a: int, b: int) -> float:
    """The variance of θ[a] − θ[b], from two linear systems. The prior's part in component means is included."""
    likelihood, fit = estimated.likelihood, estimated.fit
    contrast = np.zeros(likelihood.players + 2)
    contrast[a], contrast[b] = 1.0, -1.0
    solver = Solver(likelihood, likelihood.derivatives(fit.theta, fit.eta, fit.nu)[1])
    own = float(contrast @ solver.solve(contrast, _TOLERANCE))
    return own + float(contrast @ _by_spread(estimated, solver)) ** 2


def _by_spread(estimated: Estimated, solver: Solver) -> Floats:
    """(n + 2,) how far the estimates move with one standard deviation of log σ."""
    pull = 2.0 * estimated.likelihood.prior.rating * estimated.fit.theta
    moved: Floats = solver.solve(np.concatenate([pull, np.zeros(2)]), _TOLERANCE)
    return np.multiply(moved, np.sqrt(estimated.spread.variance), dtype=np.float64)


def _inverted(likelihood: Likelihood, curvature: Curvature, component: Ints) -> Matrix:
    """(n + 2, n + 2) the inverse of H, in single precision for many players if that is precise enough."""
    n = likelihood.players
    kinds: list[tuple[type[np.floating[Any]], Any, Any]] = [(np.float64, lapack.dpotrf, lapack.dpotri)]
    if n > _DOUBLE:
        kinds.insert(0, (np.float32, lapack.spotrf, lapack.spotri))
    for kind, potrf, invert in kinds:  # noqa: B007 - the last one is used
        h = curvature.lower(kind)
        mean = max(float(np.trace(h)) / max(n, 1), 1e-9)
        _add_means(h, component, mean)
        factor, wrong = potrf(h, lower=1, overwrite_a=1)
        if not wrong:
            break
    assert not wrong, "the negative Hessian is positive definite"
    inverse = _mirrored(invert(factor, lower=1, overwrite_c=1)[0])
    _add_means(inverse, component, -1.0 / (likelihood.prior.rating + mean))
    return inverse


def _add_means(matrix: Matrix, component: Ints, value: float) -> None:
    """Add this to the eigenvalue of each component's mean."""
    if not component.any():
        matrix[:len(component), :len(component)] += value / max(len(component), 1)
        return
    for number in range(int(component.max()) + 1):
        members = np.flatnonzero(component == number)
        matrix[np.ix_(members, members)] += value / len(members)


def _mirrored(lower: Matrix) -> Matrix:
    """The symmetric matrix of a lower triangle, ignoring the values above it."""
    n = len(lower)
    for start in range(0, n, _TILE):
        tile = slice(start, start + _TILE)
        lower[tile, start + _TILE:] = lower[start + _TILE:, tile].T
        corner = np.tril(lower[tile, tile])
        lower[tile, tile] = corner + np.tril(corner, -1).T
    return lower
