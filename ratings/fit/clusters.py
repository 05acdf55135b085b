"""Σ s² over a pair's clusters of games, where s is a cluster's score: the observed variance of a pair's result.

A cluster's score is half of (`low`'s wins − losses) − n·mean + k·mean′. Here n and k are the games with `low` and with
`high` in the first seat, and mean and mean′ are the model's expectations of half the first seat's result. So only the
products of these three numbers are needed from the moments.
"""

from typing import Final

import numpy as np

from ratings.fit.pairs import TRIANGLE, Floats

_LOW: Final = np.array([0.5, 0.0, -0.5, -0.5, 0.0, 0.5])
_N: Final = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
_K: Final = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])


def _product(a: Floats, b: Floats) -> Floats:
    """(21,) weights with which a row of moments gives Σ (a·c)(b·c)."""
    i, j = TRIANGLE
    weights: Floats = np.where(i == j, a[i] * b[i], a[i] * b[j] + a[j] * b[i])
    return weights


_PRODUCTS: Final = np.stack([_product(a, b) for a, b in (
    (_LOW, _LOW), (_LOW, _N), (_LOW, _K), (_N, _N), (_N, _K), (_K, _K))], axis=1)
_EVERY: Final = _product(_N + _K, _N + _K)


def squares(counts: Floats, moments: Floats | None, mean: Floats, other: Floats) -> Floats:
    """(…, m) Σ s² of each pair, from (…, m, 6) counts and (…, m, 21) moments, None if every game is its own cluster.

    `mean` and `other` are (…, m) expected half results with `low` and with `high` in the first seat.
    """
    if moments is None:
        residuals = np.stack([0.5 - mean, -mean, -0.5 - mean, other - 0.5, other, other + 0.5], axis=-1)
        alone: Floats = (counts * residuals**2).sum(axis=-1)
        return alone
    yy, yn, yk, nn, nk, kk = np.moveaxis(moments @ _PRODUCTS, -1, 0)
    total: Floats = yy + nn * mean**2 + kk * other**2 + 2.0 * (yk * other - yn * mean - nk * mean * other)
    return total


def number(counts: Floats, moments: Floats | None) -> Floats:
    """(…, m) each pair's number of clusters, n²/Σ n_c² (L. Kish, *Survey Sampling*, 1965): exact for equal sizes."""
    games: Floats = counts.sum(axis=-1)
    return games if moments is None else games**2 / np.maximum(moments @ _EVERY, np.maximum(games, 1.0))


def centred(square: Floats, total: Floats, clusters: Floats) -> Floats:
    """(…, m) the variance of a total of clusters, from the spread of the clusters around their mean."""
    return np.maximum(square - total**2 / np.maximum(clusters, 1.0), 0.0) * clusters / np.maximum(clusters - 1.0, 1.0)
