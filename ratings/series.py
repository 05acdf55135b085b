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


def diagonals(likelihood: Likelihood, curvature: Curvature, clusters: Curvature) -> tuple[Floats, Floats]:
    """(n + 2,) the diagonals of H⁻¹ and of H⁻¹ M H⁻¹ without the mean of θ, accurate to some per cent."""
    model, robust = _second_order(likelihood, curvature, clusters)
    # All games contribute to η and log ν, so their own 2 × 2 system is enough.
    inverse = np.linalg.inv(curvature.corner)
    if not likelihood.dense:
        model, robust = _with_long_waves(likelihood, curvature, clusters, (model, robust))
    return (np.concatenate([model, np.diag(inverse)]),
            np.concatenate([robust, np.diag(inverse @ clusters.corner @ inverse)]))


def _second_order(likelihood: Likelihood, curvature: Curvature, clusters: Curvature) -> tuple[Floats, Floats]:
    """(n,) the diagonals for θ, by the second-order formula."""
    w, t = curvature.pairs, clusters.pairs
    d, s = curvature.diagonal[:-2], clusters.diagonal[:-2]

    def over_opponents(pairs: Floats, of: Floats) -> Floats:
        upper = likelihood.upper(pairs)
        total: Floats = upper @ of + upper.T @ of
        return total

    squares = over_opponents(w * w, 1.0 / d)
    other = over_opponents(w * w, s / d**2) - 2.0 * over_opponents(w * t, 1.0 / d)
    return (1.0 + squares / d) / d, (s * (1.0 + 2.0 * squares / d) + other) / d**2


def _with_long_waves(
    likelihood: Likelihood, curvature: Curvature, clusters: Curvature, local: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """(n,) the diagonals for functions that are linear between knots, plus the remaining share of `local`."""
    n = likelihood.players
    knots = _hats(likelihood, min(_KNOTS, max(n // 4, 2)))
    h, m = (_onto_knots(likelihood, matrix, knots) for matrix in (curvature, clusters))
    total = knots.sum(axis=0)
    h += np.outer(total, total) * float(curvature.diagonal[:n].mean()) / n
    inverse = np.linalg.inv(h)
    own = np.linalg.inv((knots.T @ (diags_array(curvature.diagonal[:n]) @ knots)).toarray())
    dense = knots.toarray()
    share, model, robust = (
        np.einsum("ij,ij->i", dense @ small, dense) for small in (own, inverse, inverse @ m @ inverse))
    rest = 1.0 - share * curvature.diagonal[:n]
    return model + rest * local[0], robust + rest * local[1]


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
    small += likelihood.precision * (knots.T @ knots).toarray()
    return small
