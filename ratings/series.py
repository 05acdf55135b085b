"""Variances for large tables, where the full inverse is too expensive: a second-order formula, and long waves.

With H = D − W, where D is its diagonal, H⁻¹ ≈ D⁻¹ + D⁻¹WD⁻¹ + D⁻¹WD⁻¹WD⁻¹ covers the information from a player's own
games and from those of its opponents. If the graph of games is a long chain, as on a ladder that pairs bots of similar
rating, errors also add up along the chain. That part is smooth along the chain, and is computed exactly for functions
that are linear between a few hundred knots.
"""

from typing import Final

import numpy as np
from scipy.sparse import csr_array, diags_array

from ratings.fit.likelihood import Curvature, Likelihood
from ratings.fit.pairs import Floats

_KNOTS: Final = 384


def diagonals(likelihood: Likelihood, curvature: Curvature) -> Floats:
    """(n + 2,) the diagonal of H⁻¹ without the mean of θ, accurate to some per cent."""
    d = curvature.diagonal[:-2]
    upper = likelihood.upper(curvature.pairs**2)
    local: Floats = (1.0 + (upper @ (1.0 / d) + upper.T @ (1.0 / d)) / d) / d
    if not likelihood.dense:
        local = _with_long_waves(likelihood, curvature, local)
    # All games contribute to η and log ν, so their own 2 × 2 system is enough.
    return np.concatenate([local, np.diag(np.linalg.inv(curvature.corner))])


def _with_long_waves(likelihood: Likelihood, curvature: Curvature, local: Floats) -> Floats:
    """(n,) the diagonal for functions that are linear between knots, plus the remaining share of `local`."""
    n = likelihood.players
    knots = _hats(likelihood, min(_KNOTS, max(n // 4, 2)))
    h = _onto_knots(likelihood, curvature, knots)
    total = knots.sum(axis=0)
    h += np.outer(total, total) * float(curvature.diagonal[:n].mean()) / n
    own = np.linalg.inv((knots.T @ (diags_array(curvature.diagonal[:n]) @ knots)).toarray())
    dense = knots.toarray()
    share, along = (np.einsum("ij,ij->i", dense @ small, dense) for small in (own, np.linalg.inv(h)))
    waves: Floats = along + (1.0 - share * curvature.diagonal[:n]) * local
    return waves


def _hats(likelihood: Likelihood, knots: int) -> csr_array:
    """(n, knots) each player's weights on the two knots around its position in the chain."""
    n = likelihood.players
    place = likelihood.line * ((knots - 1) / max(n - 1, 1))
    left = np.minimum(place.astype(np.int64), knots - 2)
    weights = np.stack([1.0 - (place - left), place - left], axis=1)
    columns = np.stack([left, left + 1], axis=1)
    return csr_array((weights.ravel(), columns.ravel(), np.arange(0, 2 * n + 1, 2)), shape=(n, knots))


def _onto_knots(likelihood: Likelihood, matrix: Curvature, knots: csr_array) -> Floats:
    """(knots, knots) `matrix` restricted to the functions of the knots, without its border."""
    table = likelihood.table
    steps = knots[table.low] - knots[table.high]
    small: Floats = (steps.T @ (diags_array(matrix.pairs) @ steps)).toarray()
    small += likelihood.prior.rating * (knots.T @ knots).toarray()
    return small
