"""Variances of so many players that the whole inverse costs too much: a formula of second order, and long waves.

With H = D − W, D its diagonal, H⁻¹ ≈ D⁻¹ + D⁻¹WD⁻¹ + D⁻¹WD⁻¹WD⁻¹ has what a player's own games and its opponents' tell.
Where the graph of games is a long chain, as on a ladder that pairs near in rating, errors also add up along it: that
part is smooth along the chain, and is taken exactly for functions that are linear between a few hundred knots.
"""

from typing import Final

import numpy as np
from scipy.sparse import csr_array, diags_array

from ratings.fit.likelihood import Curvature, Likelihood
from ratings.fit.pairs import Floats

_KNOTS: Final = 384


def diagonals(likelihood: Likelihood, curvature: Curvature, clusters: Curvature) -> tuple[Floats, Floats]:
    """(n + 2,) the diagonals of H⁻¹ and of H⁻¹ M H⁻¹, the mean of θ taken out; within some per cent."""
    model, robust = _second_order(likelihood, curvature, clusters)
    # η and log ν are known from all games: their own two by two system.
    inverse = np.linalg.inv(curvature.corner)
    if not likelihood.dense:
        model, robust = _with_long_waves(likelihood, curvature, clusters, (model, robust))
    return (np.concatenate([model, np.diag(inverse)]),
            np.concatenate([robust, np.diag(inverse @ clusters.corner @ inverse)]))


def _second_order(likelihood: Likelihood, curvature: Curvature, clusters: Curvature) -> tuple[Floats, Floats]:
    """(n,) of θ."""
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
    """(n,) H⁻¹ and H⁻¹ M H⁻¹ on functions linear between knots, plus of `local` the share that is none of those."""
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
    """(n, knots) each player's weights on the two knots beside its place along the chain."""
    n = likelihood.players
    place = likelihood.line * ((knots - 1) / max(n - 1, 1))
    left = np.minimum(place.astype(np.int64), knots - 2)
    weights = np.stack([1.0 - (place - left), place - left], axis=1)
    columns = np.stack([left, left + 1], axis=1)
    return csr_array((weights.ravel(), columns.ravel(), np.arange(0, 2 * n + 1, 2)), shape=(n, knots))


def _onto_knots(likelihood: Likelihood, matrix: Curvature, knots: csr_array) -> Floats:
    """(knots, knots) what `matrix` is on the functions of the knots; the border is left out."""
    table = likelihood.table
    steps = knots[table.low] - knots[table.high]
    small: Floats = (steps.T @ (diags_array(matrix.pairs) @ steps)).toarray()
    small += likelihood.precision * (knots.T @ knots).toarray()
    return small
