"""What the games of an event say about its target: the official fit with its covariance, in Elo."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ratings.fit.covariance import Covariance
from ratings.fit.davidson import ELO
from ratings.fit.estimate import estimate
from ratings.fit.pairs import Floats, from_games
from ratings.precision.batches import pairs_of
from ratings.shown import Shown

# Results are compared and sampled after rounding, so that another machine's last bit changes nothing.
_DIGITS: Final = 6


class Met(NamedTuple):
    """A match of entrants (numbers from 0): scores of `first` in its two games, seat 0 first, and their opening."""

    first: int
    second: int
    scores: tuple[float, float]
    opening: str


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """ratings: (n,) Elo around their mean; covariance: (n, n) Elo²; information: (m,) per match and pair, 1/Elo².

    core: (n, n) the covariance with the scale of Elo fixed. The scale depends on the share of draws, about which every
    match tells the same, so batches are chosen without it.
    """

    ratings: Floats
    covariance: Floats
    core: Floats
    information: Floats


def state_of(entrants: int, matches: Sequence[Met]) -> State | None:
    """The state after these matches; None while they do not connect all entrants."""
    games = [(one, other, score, match.opening) for match in matches for one, other, score in (
        (match.first, match.second, match.scores[0]), (match.second, match.first, 1.0 - match.scores[1]))]
    table = from_games(games)
    if len(table.players) < entrants:
        return None
    estimated = estimate(table)
    fitted, covariance = estimated.fit, Covariance(estimated)
    if covariance.component.any():
        return None
    shown = Shown(fitted, covariance, {})
    matrix = np.asarray(shown.matrix(), dtype=np.float64)
    core = np.asarray(covariance.matrix(), dtype=np.float64) * fitted.scale**2
    return State(np.round(shown.rating - shown.rating.mean(), _DIGITS), np.round(matrix, _DIGITS),
                 np.round(core, _DIGITS),
                 information(fitted.theta, fitted.eta, fitted.nu))


def information(theta: Floats, eta: Floats | float, nu: Floats | float) -> Floats:
    """(…, m) the information of a match of each pair, in 1/Elo², at (…, n) strengths in natural units."""
    low, high = pairs_of(theta.shape[-1])
    e, v = np.asarray(eta)[..., None], np.asarray(nu)[..., None]
    difference = theta[..., low] - theta[..., high]
    total = sum(_of_game(sign * difference + e, v) for sign in (1.0, -1.0))
    per_match: Floats = total / (ELO * 2.0 / (2.0 + v)) ** 2
    return per_match


def _of_game(x: Floats, nu: Floats) -> Floats:
    """The variance of half a game's result: (1 − P(draw)) / 4 − mean²."""
    win, loss = np.exp(x / 2.0), np.exp(-x / 2.0)
    z = win + loss + nu
    mean = (win - loss) / z / 2.0
    variance: Floats = (win + loss) / z / 4.0 - mean**2
    return variance
