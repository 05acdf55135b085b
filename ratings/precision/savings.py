"""Games that a round-robin would need for the precision that an event has reached."""

import numpy as np

from ratings.fit.pairs import Floats
from ratings.precision.batches import pairs_of
from ratings.precision.targets import RATINGS, boundaries

GAMES_PER_MATCH = 2


def cycle_covariance(information: Floats) -> Floats:
    """(…, n, n) the covariance of ratings around their mean after one match of every pair with this information."""
    m = information.shape[-1]
    n = round((1.0 + np.sqrt(1.0 + 8.0 * m)) / 2.0)
    low, high = pairs_of(n)
    h = np.zeros((*information.shape[:-1], n, n))
    h[..., low, high] = h[..., high, low] = -information
    own = -h.sum(axis=-1)
    h[..., np.arange(n), np.arange(n)] = own
    # The mean is not estimated: 1/n in every element makes H invertible, and is taken out again.
    level = own.mean(axis=-1)[..., None, None] / n
    covariance: Floats = np.linalg.inv(h + level) - 1.0 / (level * n * n)
    return covariance


def round_robin_games(kind: str, value: float, ratings: Floats, covariance: Floats, information: Floats) -> Floats:
    """(…) games of a round-robin whose largest interval, or weakest separation, is as good as this covariance's."""
    n = ratings.shape[-1]
    one = cycle_covariance(information)
    own, reached = (np.diagonal(each, axis1=-2, axis2=-1) for each in (one, covariance))
    if kind == RATINGS:
        cycles = own.max(axis=-1) / reached.max(axis=-1)
    else:
        needed = boundaries(ratings, int(value))
        squares = np.maximum((ratings[..., :, None] - ratings[..., None, :]) ** 2, 1e-12)
        weakest = [np.where(needed, (d[..., :, None] + d[..., None, :] - 2.0 * v) / squares, 0.0).max(axis=(-2, -1))
                   for d, v in ((own, one), (reached, covariance))]
        cycles = weakest[0] / weakest[1]
    games: Floats = cycles * (n * (n - 1) // 2) * GAMES_PER_MATCH
    return games
