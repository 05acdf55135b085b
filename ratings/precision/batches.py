"""Allocation of a batch of matches to pairs: a part evenly, the rest where a match tells most about the target.

A match of i and j with the information w changes the covariance V to first order by −w V d dᵀ V, with d = eᵢ − eⱼ (J.
Sherman & W. J. Morrison, 1950). So a criterion with the derivative C falls by w dᵀ (V C V) d.
"""

from typing import Final

import numpy as np

from ratings.fit.pairs import Floats, Ints

# Share of each batch that is spread evenly over all pairs, so that no pair starves.
EVEN: Final = 0.25
# Matches per entrant before the first look.
OPENING_ROUNDS: Final = 12
# Growth of the number of matches from one look to the next.
GROWTH: Final = 1.3
# The larger, the more a batch concentrates on the best pairs.
_SHARPNESS: Final = 2.0
_DIGITS: Final = 9


def pairs_of(entrants: int) -> tuple[Ints, Ints]:
    """The lower and the higher entrant of every pair, in order."""
    low, high = np.triu_indices(entrants, 1)
    return low.astype(np.int64), high.astype(np.int64)


def gains(covariance: Floats, criterion: Floats, information: Floats) -> Floats:
    """(…, m) how much a match of each pair lowers the criterion; `information` is (…, m), per match in 1/Elo²."""
    low, high = pairs_of(covariance.shape[-1])
    g = covariance @ criterion @ covariance
    lowered: Floats = information * (g[..., low, low] + g[..., high, high] - 2.0 * g[..., low, high])
    return np.maximum(lowered, 0.0)


def expected(gain: Floats, allowed: Floats, size: Floats | float) -> Floats:
    """(…, m) expected matches per pair of a batch of `size`; `allowed` is 1 for pairs that can play, else 0."""
    sharp = np.where(allowed > 0.0, gain / np.maximum(gain.max(axis=-1, keepdims=True), 1e-300), 0.0) ** _SHARPNESS
    total = sharp.sum(axis=-1, keepdims=True)
    even = allowed / allowed.sum(axis=-1, keepdims=True)
    wanted = np.where(total > 0.0, sharp / np.maximum(total, 1e-300), even)
    share: Floats = np.asarray(size)[..., None] * (EVEN * even + (1.0 - EVEN) * wanted)
    return share


def sampled(expectation: Floats, start: Floats | float) -> Ints:
    """(…, m) whole numbers of matches whose sum is that of `expectation`, each within 1 of it.

    Systematic sampling (W. G. Madow, 1949): `start`, from 0 to 1, is the only random number. Expectations are rounded,
    so that another machine's last bit changes nothing.
    """
    sums = np.round(np.cumsum(np.round(expectation, _DIGITS), axis=-1), _DIGITS - 2)
    total = np.rint(sums[..., -1:])
    sums = np.concatenate([sums[..., :-1], total], axis=-1)
    marks = np.minimum(np.floor(sums + np.asarray(start)[..., None]), total)
    marks[..., -1:] = total
    counts: Ints = np.diff(marks, axis=-1, prepend=0.0).astype(np.int64)
    return counts


def spread(counts: Ints, low: Ints, high: Ints) -> list[tuple[int, int]]:
    """The batch as a list, in which a pair's matches are as far apart as possible.

    Each match has both seatings, so seats are even; which entrant has seat 0 first alternates within a pair.
    """
    turns = sorted(((turn + 0.5) / count, pair, turn) for pair, count in enumerate(counts.tolist())
                   for turn in range(count))
    return [(int(low[pair]), int(high[pair])) if (turn + pair) % 2 == 0 else (int(high[pair]), int(low[pair]))
            for _, pair, turn in turns]
