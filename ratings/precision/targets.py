"""Targets of precision: every rating within ±X Elo, or the first k separated from one another and from the rest.

All functions take (…, n) ratings and (…, n, n) covariances in Elo, so that a simulation can judge many events at once.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.fit.pairs import Floats

RATINGS: Final = "ratings"
FIRST: Final = "first"
# Exponent of the criterion: the larger, the more a batch goes to what is farthest from the target.
_POWER: Final = 4
# Half widths of the shown 95 % intervals, in standard errors, chosen by simulation (docs/decisions/0044). With ratings,
# the variance is itself estimated, from a few dozen matches per entrant. With first places, the event also stops when a
# difference looks large, and an entrant that was unlucky gets fewer matches.
SHOWN_FIRST: Final = 2.1
SHOWN_RATINGS: Final = 2.02


def width(kind: str) -> float:
    """Half width of the shown 95 % interval, in standard errors."""
    return SHOWN_RATINGS if kind == RATINGS else SHOWN_FIRST


def half_widths(kind: str, covariance: Floats) -> Floats:
    """(…, n) half widths of the shown intervals."""
    widths: Floats = width(kind) * np.sqrt(np.maximum(np.diagonal(covariance, axis1=-2, axis2=-1), 0.0))
    return widths


def boundaries(ratings: Floats, first: int) -> NDArray[np.bool_]:
    """(…, n, n) whether a target of the first k must separate i from j, which is below it.

    Each of the first k from the next one, and the last of them from all the rest. Equal ratings are ordered by index.
    """
    n = ratings.shape[-1]
    place = np.argsort(np.argsort(-ratings, axis=-1, kind="stable"), axis=-1, kind="stable")
    upper, lower = place[..., :, None], place[..., None, :]
    decided: NDArray[np.bool_] = ((lower == upper + 1) & (upper < first)) | ((upper == min(first, n) - 1)
                                                                             & (lower > upper))
    return decided


def shortfall(kind: str, value: float, ratings: Floats, covariance: Floats, limit: float) -> Floats:
    """(…) how far the target is: the largest ratio of a squared width to the permitted one. At most 1 is met."""
    if kind == RATINGS:
        ratio: Floats = half_widths(kind, covariance).max(axis=-1) / value
        return ratio**2
    difference, variance = _differences(ratings, covariance)
    ratios = np.where(boundaries(ratings, int(value)), limit**2 * variance / np.maximum(difference**2, 1e-12), 0.0)
    worst: Floats = ratios.max(axis=(-2, -1))
    return worst


def met(kind: str, value: float, ratings: Floats, covariance: Floats, limit: float) -> list[bool | None]:
    """For each of (n,) entrants, whether its part of the target is met; None if the target does not concern it.

    With first places, these are the entrants of which one must be separated from another that is below it.
    """
    if kind == RATINGS:
        return [bool(each) for each in half_widths(kind, covariance) <= value]
    needed = boundaries(ratings, int(value))
    difference, variance = _differences(ratings, covariance)
    apart = difference**2 >= limit**2 * variance
    return [bool((apart | ~needed)[i].all() and (apart | ~needed)[:, i].all())
            if needed[i].any() or needed[:, i].any() else None for i in range(len(ratings))]


def criterion(kind: str, value: float, ratings: Floats, covariance: Floats, limit: float) -> Floats:
    """(…, n, n) the matrix C with which a batch lowers the criterion most where trace(C · change) is largest.

    The criterion is the sum of the fourth powers of variances relative to the target. A difference between estimates is
    itself uncertain, so its square is taken with its variance added.
    """
    n = ratings.shape[-1]
    if kind == RATINGS:
        relative = np.diagonal(covariance, axis1=-2, axis2=-1) * (width(kind) / value) ** 2
        relative = relative / relative.max(axis=-1, keepdims=True)
        diagonal: Floats = np.eye(n) * (relative ** (_POWER - 1))[..., None]
        return diagonal
    difference, variance = _differences(ratings, covariance)
    permitted = (difference**2 + variance) / limit**2
    relative = np.where(boundaries(ratings, int(value)), variance / permitted, 0.0)
    weight = relative ** (_POWER - 1) / permitted
    weight = weight / np.maximum(weight.max(axis=(-2, -1), keepdims=True), 1e-300)
    weight = weight + np.swapaxes(weight, -1, -2)
    laplacian: Floats = np.eye(n) * weight.sum(axis=-1)[..., None] - weight
    return laplacian


def _differences(ratings: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """(…, n, n) the differences of ratings, and their variances."""
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    variance = own[..., :, None] + own[..., None, :] - 2.0 * covariance
    return ratings[..., :, None] - ratings[..., None, :], np.maximum(variance, 1e-9)
