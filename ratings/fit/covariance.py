"""Errors of fitted ratings: the sandwich covariance, which is valid even if bots repeat their games.

V = H⁻¹ M H⁻¹, with H the negative Hessian of the log posterior and M the sum of s sᵀ over clusters of games (a pair's
games from one opening) plus the prior's precision. P. J. Huber, "The Behavior of Maximum Likelihood Estimates under
Nonstandard Conditions", 1967; K.-Y. Liang & S. L. Zeger, "Longitudinal Data Analysis Using Generalized Linear Models",
Biometrika 73, 1986.

Only the prior determines the mean of a component's θ: it is an eigenvector of H and M, with the prior's precision. It
is removed from both here, which leaves well-conditioned matrices. Only contrasts within a component are needed.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from ratings.fit.clusters import scores
from ratings.fit.components import components
from ratings.fit.davidson import FLAT, Fit
from ratings.fit.likelihood import Curvature, Likelihood
from ratings.fit.pairs import Floats, Ints
from ratings.fit.solver import Solver
from ratings.series import diagonals

# Maximum number of players for the full inverse; larger tables use a second-order formula.
EXACT: Final = 4000
# Maximum number of players for double precision. Single precision takes half the time, with an error below a thousandth
# of a standard error.
_DOUBLE: Final = 1000
# A sparse product is faster while less than this share of all pairs have met.
_SPARSE: Final = 0.1
# If the prior has this share of the information about a player, there are too few games to estimate a variance from.
_UNKNOWN: Final = 0.02

_TOLERANCE: Final = 1e-9
_TILE: Final = 256

Matrix = NDArray[Any]


class Covariance:
    """The covariance of θ, η and log ν at a fit, in natural units, without component means (the prior's alone).

    exact: whether the full inverse was used (up to `limit` players). For more players, variances come from the
    second-order formula in `series`, accurate to some per cent, and there are no covariances.
    variance: (n,) of θ; eta, log_nu: variances; with_log_nu: (n,) covariances of θ and log ν.
    """

    def __init__(self, likelihood: Likelihood, fit: Fit, *, limit: int = EXACT) -> None:
        self.players = likelihood.players
        self.component = components(likelihood.table)
        self._pairs = likelihood.table.low, likelihood.table.high
        self.exact = self.players <= limit
        self._prior = likelihood.precision
        at = (fit.theta, fit.eta, fit.nu)
        _, curvature = likelihood.derivatives(*at)
        clusters = scores(likelihood, *at)
        if self.exact:
            self._inverse, self._half = _sandwich(likelihood, curvature, clusters, self.component)
            everything = 2.0 * np.einsum("ij,ij->i", self._half, self._inverse).astype(np.float64)
            model = np.diagonal(self._inverse).astype(np.float64)
            column = self.times(np.eye(1, self.players + 2, self.players + 1)[0])
        else:
            model, everything = diagonals(likelihood, curvature, clusters)
            column = np.zeros(self.players + 2)
        n = self.players
        self.eta, self.log_nu = float(everything[n]), float(everything[n + 1]) if fit.nu > 0.0 else 0.0
        # The scores of players with few games, or with only wins, are too small to estimate from: for these, the
        # posterior's own variance is the minimum.
        unknown = curvature.diagonal[:n] * _UNKNOWN < self._prior
        ratio = np.divide(model[:n], everything[:n], out=np.ones(n), where=unknown & (everything[:n] > 0.0))
        self._widened = np.sqrt(np.maximum(ratio, 1.0))
        self.variance: Floats = everything[:n] * self._widened**2
        self.with_log_nu: Floats = column[:n] * self._widened if fit.nu > 0.0 else np.zeros(n)

    def times(self, x: Floats) -> Floats:
        """(n + 2,) the covariance times `x`, before widening; needs `exact`."""
        y = x.astype(self._inverse.dtype)
        product: Floats = (self._half @ (self._inverse @ y) + self._inverse @ (self._half.T @ y)).astype(np.float64)
        return product

    def with_mean(self, weights: Floats) -> Floats:
        """(n,) covariances of every θ with the weighted sum of all θ."""
        if not self.exact:
            return weights * self.variance
        x = np.concatenate([weights * self._widened, np.zeros(2)])
        column: Floats = self.times(x)[: self.players] * self._widened
        return column

    def of_pairs(self, gradient: Floats, first: int) -> tuple[Floats, Floats]:
        """(rows,) wᵀ H⁻¹ w and wᵀ V w, before widening, for pairs of the table from number `first`; needs `exact`.

        w is a row of `gradient`, (rows, 3): by θ_low − θ_high, η and log ν.
        """
        rows = np.arange(len(gradient))
        low, high = (side[first:first + len(rows)] for side in self._pairs)
        w = np.zeros((len(rows), self.players + 2), dtype=self._inverse.dtype)
        w[rows, low], w[rows, high], w[:, -2:] = gradient[:, 0], -gradient[:, 0], gradient[:, 1:]
        solved = w @ self._inverse
        model: Floats = np.einsum("ij,ij->i", solved, w).astype(np.float64)
        robust: Floats = 2.0 * np.einsum("ij,ij->i", solved, w @ self._half).astype(np.float64)
        return model, robust

    def matrix(self) -> Matrix:
        """(n, n) covariances of all θ; only for `exact`."""
        n = self.players
        syr2k = blas.ssyr2k if self._inverse.dtype == np.float32 else blas.dsyr2k
        lower = syr2k(1.0, self._half[:n], self._inverse[:n], lower=1)
        whole = _mirrored(lower)
        whole *= self._widened[:, None].astype(whole.dtype)
        whole *= self._widened.astype(whole.dtype)
        return whole

    def of_island(self, size: int) -> float:
        """The variance of the mean of a component with `size` players, by the prior alone; 0 without a prior."""
        return 1.0 / (self._prior * size) if self._prior > FLAT else 0.0


def contrast_variance(likelihood: Likelihood, fit: Fit, a: int, b: int) -> float:
    """The variance of θ[a] − θ[b], from one linear system. The prior's part in component means is included."""
    at = (fit.theta, fit.eta, fit.nu)
    contrast = np.zeros(likelihood.players + 2)
    contrast[a], contrast[b] = 1.0, -1.0
    curvature = likelihood.derivatives(*at)[1]
    x = Solver(likelihood, curvature).solve(contrast, _TOLERANCE)
    robust = float(x @ scores(likelihood, *at).times(x))
    unknown = min(curvature.diagonal[a], curvature.diagonal[b]) * _UNKNOWN < likelihood.precision
    return max(robust, float(contrast @ x)) if unknown else robust


def _sandwich(
    likelihood: Likelihood, curvature: Curvature, clusters: Curvature, component: Ints
) -> tuple[Matrix, Matrix]:
    """H⁻¹, and H⁻¹ U with M = U + Uᵀ, so that V = half · inverseᵀ + inverse · halfᵀ costs half a product."""
    n = likelihood.players
    kind = np.dtype(np.float64 if n <= _DOUBLE else np.float32)
    potrf, potri, trmm = (
        (lapack.dpotrf, lapack.dpotri, blas.dtrmm) if kind == np.float64
        else (lapack.spotrf, lapack.spotri, blas.strmm))
    h = _lower(likelihood, curvature, kind)
    mean = max(float(np.trace(h)) / max(n, 1), 1e-9)
    if component.any():
        for number in range(int(component.max()) + 1):
            members = np.flatnonzero(component == number)
            h[np.ix_(members, members)] += mean / len(members)
    elif n:
        h[:n, :n] += mean / n
    factor, wrong = potrf(h, lower=1, overwrite_a=1)
    assert not wrong, "the negative Hessian is positive definite"
    inverse = _mirrored(potri(factor, lower=1, overwrite_c=1)[0])
    if len(likelihood.table.low) < _SPARSE * n * n / 2:
        half = _sparse_half(clusters, inverse)
    else:
        m = _lower(likelihood, clusters, kind)
        m[np.diag_indices(n + 2)] *= 0.5
        half = trmm(1.0, m, inverse, side=1, lower=1)
    return inverse, half


def _lower(likelihood: Likelihood, matrix: Curvature, kind: np.dtype[Any]) -> Matrix:
    """(n + 2, n + 2) the lower triangle, in Fortran order, with zeros above."""
    n, table = likelihood.players, likelihood.table
    dense = np.zeros((n + 2, n + 2), dtype=kind, order="F")
    dense.T.reshape(-1)[table.low * (n + 2) + table.high] = -matrix.pairs
    diagonal = np.arange(n)
    dense[diagonal, diagonal] = matrix.diagonal[:n]
    dense[n:, :n] = matrix.border.T
    dense[n:, n:] = np.tril(matrix.corner)
    return dense


def _sparse_half(matrix: Curvature, inverse: Matrix) -> Matrix:
    """H⁻¹ times the lower triangle of `matrix` with half its diagonal."""
    n, kind = len(inverse) - 2, inverse.dtype
    half = np.empty_like(inverse, order="F")
    # (G L)ᵀ = Lᵀ G, and G is its own transpose.
    rows = half.T
    rows[:n] = -matrix.upper.astype(kind) @ inverse.T[:n]
    rows[:n] += (0.5 * matrix.diagonal[:n, None]).astype(kind) * inverse.T[:n]
    rows[:n] += matrix.border.astype(kind) @ inverse[n:]
    rows[n:] = np.triu(matrix.corner - 0.5 * np.diag(np.diag(matrix.corner))).astype(kind) @ inverse[n:]
    return half


def _mirrored(lower: Matrix) -> Matrix:
    """The symmetric matrix of a lower triangle, ignoring the values above it."""
    n = len(lower)
    for start in range(0, n, _TILE):
        tile = slice(start, start + _TILE)
        lower[tile, start + _TILE:] = lower[start + _TILE:, tile].T
        corner = np.tril(lower[tile, tile])
        lower[tile, tile] = corner + np.tril(corner, -1).T
    return lower
