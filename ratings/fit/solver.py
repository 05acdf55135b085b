"""Solve systems with the negative Hessian of the likelihood by deflated conjugate gradients.

R. A. Nicolaides, "Deflation of Conjugate Gradients with Applications to Boundary Value Problems", SIAM J. Numer. Anal.
24, 1987. The deflated vectors are groups of players who are close in the graph of games, η and log ν. A ladder pairs
bots of similar rating, so its graph is a long chain. The groups capture the slow modes of the chain; a diagonal
preconditioner handles the rest within a group.
"""

from typing import Final

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ratings.fit.likelihood import Curvature, Likelihood
from ratings.fit.pairs import Floats

_GROUPS: Final = 64
_ITERATIONS: Final = 2000


class Solver:
    """Solves H x = b over (θ, η, log ν), for H a `Curvature` of that likelihood."""

    def __init__(self, likelihood: Likelihood, curvature: Curvature) -> None:
        self._curvature = curvature
        self._diagonal = curvature.diagonal
        n = likelihood.players
        self._groups = 1 if n > _GROUPS and likelihood.dense else min(n, _GROUPS)
        # With a group for each player, their order does not matter.
        line = np.arange(n) if self._groups == n else likelihood.line if self._groups > 1 else np.zeros(n, np.int64)
        self._group = line * self._groups // max(n, 1)
        self._deflated = self._times_groups(likelihood)
        coarse = self._sum_groups(self._deflated)
        self._coarse = cho_solve(cho_factor(coarse), np.eye(len(coarse)))

    def rough(self, b: Floats) -> float:
        """The largest element of a rough solution, as an estimate of its size."""
        return float(np.abs(b / self._diagonal).max())

    def solve(self, b: Floats, tolerance: float) -> Floats:
        """Solve to a residual of at most `tolerance` times b, in the norm weighted by the inverse diagonal."""
        x, y = self._project(b)
        if self._groups == len(self._group):
            return x  # exact, because every player is its own group
        r = b - self._deflated @ y
        z = r / self._diagonal
        p = z - self._project_out(z)
        rho, enough = float(r @ z), tolerance**2 * float(b @ (b / self._diagonal))
        for _ in range(_ITERATIONS):
            if rho <= enough or rho == 0.0:
                break
            q = self._curvature.times(p)
            alpha = rho / float(p @ q)
            x += alpha * p
            r -= alpha * q
            z = r / self._diagonal
            before, rho = rho, float(r @ z)
            p *= rho / before
            p += z - self._project_out(z)
        return x

    def _times_groups(self, likelihood: Likelihood) -> Floats:
        """(n + 2, k + 2) H times the deflated vectors."""
        n, k = len(self._group), self._groups
        width = k + 2
        product = np.zeros((n + 2, width))
        if k == 1:
            product[:n, 0] = likelihood.prior.rating  # the rest cancels out in the row sums of a Laplacian
        else:
            low, high, pairs = likelihood.table.low, likelihood.table.high, self._curvature.pairs
            product[:n] -= np.bincount(low * width + self._group[high], pairs, n * width).reshape(n, width)
            product[:n] -= np.bincount(high * width + self._group[low], pairs, n * width).reshape(n, width)
            product[np.arange(n), self._group] += self._diagonal[:n]
        product[:n, k:] = self._curvature.border
        for column in (0, 1):
            product[n + column, :k] = np.bincount(self._group, self._curvature.border[:, column], k)
        product[n:, k:] = self._curvature.corner
        return product

    def _sum_groups(self, rows: Floats) -> Floats:
        """(k + 2, …) the products of the deflated vectors with the columns of `rows`."""
        total = np.zeros((self._groups + 2, *rows.shape[1:]))
        order = np.argsort(self._group, kind="stable")
        starts = np.searchsorted(self._group[order], np.arange(self._groups))
        if len(order):
            total[:-2] = np.add.reduceat(rows[order], starts, axis=0)
        total[-2:] = rows[-2:]
        return total

    def _spread(self, y: Floats) -> Floats:
        """(n + 2,) the sum of the deflated vectors, each times its element of `y`."""
        return np.concatenate([y[self._group], y[-2:]])

    def _project(self, b: Floats) -> tuple[Floats, Floats]:
        """The solution within the deflated vectors, and its coordinates."""
        y = self._coarse @ np.concatenate([np.bincount(self._group, b[:-2], self._groups), b[-2:]])
        return self._spread(y), y

    def _project_out(self, z: Floats) -> Floats:
        """The projection of `z` onto the deflated vectors in the inner product of H."""
        return self._spread(self._coarse @ (self._deflated.T @ z))
