"""Repeats: how many new games a pair's games are worth, if games from one opening depend on each other.

A **cell** is a pair's games from one opening with the same first seat: the games that bots without chance repeat. Let
ρ be the correlation of two games of a cell, from 0 (independent) to 1 (the same game again). A cell of m games then
says as much as m / (1 + (m − 1)ρ) new ones (L. Kish, *Survey Sampling*, 1965, 8.2). 1 − ρ is the share of the
disagreement within cells that independent games would have (the within mean square of the analysis of variance). The
fit cannot use it up, as it does the scores of a few clusters: with one cluster, a sandwich covariance is zero.

Clusters, the cells of both seats from one opening, may still differ from each other more than the model says. Then all
games count for less, by the dispersion of clusters within pairs (P. McCullagh, J. A. Nelder, *Generalized Linear
Models*, 1989, 4.5.2), but never for more.

Only sums over a pair's cells are known, so the size of its cells is taken as Σ m² / Σ m.
"""

from typing import Final

import numpy as np

from ratings.fit.clusters import centred, number, squares
from ratings.fit.pairs import RESULTS, TRIANGLE, Floats

# Before any cell has a second game, 1 − ρ is taken as one half, with the weight of one expected disagreement.
_BEFORE: Final = 1.0
_NEW_BEFORE: Final = 0.5
# Before clusters tell otherwise, the dispersion is taken as 1, with the weight of these clusters.
_CLUSTERS: Final = 20.0

_PLACE: Final = {(int(i), int(j)): place for place, (i, j) in enumerate(zip(*TRIANGLE, strict=True))}
Expected = tuple[Floats, Floats]


def worth(counts: Floats, moments: Floats, low_first: Expected, high_first: Expected) -> Floats:
    """(…, m, 6) the counts reduced to the new games that they are worth, from (…, m, 6) and (…, m, 21) for a ladder.

    The last two are (…, m) expected half results of the first seat, and probabilities of a draw, in either seating.
    """
    cells = [_Cells(counts, moments, first, *expected) for first, expected in ((0, low_first), (3, high_first))]
    seen, would = cells[0].seen + cells[1].seen, cells[0].would + cells[1].would
    # One for the ladder: a pair's own would be small where the stronger player won every game, and so pull it down.
    new = np.minimum((_sum(seen) + _BEFORE * _NEW_BEFORE) / (_sum(would) + _BEFORE), 1.0)
    factors = [1.0 + (each.size - 1.0) * (1.0 - new) for each in cells]
    variance = factors[0] * cells[0].variance + factors[1] * cells[1].variance
    whole = _dispersion(counts, moments, low_first[0], high_first[0], variance)[..., None]
    reduced: Floats = counts / (whole * np.repeat(np.stack(factors, axis=-1), RESULTS // 2, axis=-1))
    return reduced


def _sum(pairs: Floats) -> Floats:
    """(…, 1) the sum over all pairs of a ladder."""
    total: Floats = pairs.sum(axis=-1, keepdims=True)
    return total


class _Cells:
    """By pair, for one seating: size of cells, games that disagree and would if they were independent, variance."""

    def __init__(self, counts: Floats, moments: Floats, first: int, mean: Floats, draw: Floats) -> None:
        games = counts[..., first:first + 3].sum(axis=-1)
        apart = 2.0 * sum(moments[..., _PLACE[first + i, first + j]] for i, j in ((0, 1), (0, 2), (1, 2)))
        together = sum(moments[..., _PLACE[first + i, first + i]] for i in range(3))
        self.size = np.maximum(np.divide(apart + together, games, out=np.ones_like(games), where=games > 0.0), 1.0)
        win, loss = 0.5 * (1.0 - draw) + mean, 0.5 * (1.0 - draw) - mean
        self.seen = apart / self.size
        self.would = games * (1.0 - 1.0 / self.size) * (1.0 - win**2 - draw**2 - loss**2)
        self.variance = games * (0.25 * (1.0 - draw) - mean**2)


def _dispersion(counts: Floats, moments: Floats, mean: Floats, other: Floats, variance: Floats) -> Floats:
    """(…, 1) how much more clusters within pairs differ than by this variance of pairs' results; at least 1."""
    c, clusters = np.moveaxis(counts, -1, 0), number(counts, moments)
    total = 0.5 * (c[0] - c[2] - c[3] + c[5]) - c[:3].sum(axis=0) * mean + c[3:].sum(axis=0) * other
    freedom = np.where(variance > 0.0, clusters - 1.0, 0.0)
    ratio = centred(squares(counts, moments, mean, other), total, clusters) / np.maximum(variance, 1e-300)
    return np.maximum((_CLUSTERS + _sum(freedom * ratio)) / (_CLUSTERS + _sum(freedom)), 1.0)
