"""Convert fitted parameters to displayed ratings: the scale, its origin, and errors on it.

A rating is θ's distance from its reference times 400/ln 10 · 2/(2 + ν), which has the slope of logistic Elo at
equality, plus the reference's own Elo. The reference is the mean of a component's anchors, or else the mean of all
players of the largest component. Components without anchors, other than the largest, are placed by the prior alone,
and their errors include that.
"""

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from ratings.fit.covariance import Covariance, Matrix
from ratings.fit.davidson import Fit
from ratings.fit.pairs import Floats, Ints

CENTRE: Final = 1500.0


class Shown:
    """The ratings of a fit's players in Elo, with their covariances.

    rating, variance: (n,); quantile: (n,) half widths of 95 % intervals in standard errors; own: (n,) by how much a
    rating moves with its player's strength alone: less than 1 if the player is part of the zero. Without a prior, the
    errors of a separate component are relative to itself.
    """

    def __init__(self, fit: Fit, covariance: Covariance, anchors: Mapping[int, float]) -> None:
        self.covariance = covariance
        self.scale = fit.scale
        n = len(fit.players)
        component = covariance.component
        self._sizes = np.bincount(component) if n else np.zeros(0, dtype=np.int64)
        given = np.array([anchors.get(int(player), math.nan) for player in fit.players])
        anchored = ~np.isnan(given)
        # The reference of each component: itself if it has anchors, else the largest component.
        home = np.zeros(len(self._sizes), dtype=np.int64)
        home[np.unique(component[anchored])] = np.unique(component[anchored])
        self._home: Ints = home[component]
        weights = {int(c): _weights(component, anchored, int(c)) for c in np.unique(home)}
        level = {c: float(given[w > 0.0].mean()) if anchored[component == c].any() else CENTRE
                 for c, w in weights.items()}
        middle = {c: float(w @ fit.theta) for c, w in weights.items()}
        self.distance: Floats = fit.theta - np.array([middle[int(c)] for c in self._home])
        self.rating: Floats = self.scale * self.distance + np.array([level[int(c)] for c in self._home])
        # The scale is also an estimate: d scale / d log ν.
        self._stretch: Floats = -self.scale * fit.nu / (2.0 + fit.nu) * self.distance
        self._with_mean = {c: covariance.with_mean(w) for c, w in weights.items()}
        self._of_mean = {c: float(w @ self._with_mean[c]) for c, w in weights.items()}
        self._mean_log_nu = {c: float(w @ covariance.with_log_nu) for c, w in weights.items()}
        self.variance: Floats = self._variance(anchored)
        self.quantile = covariance.quantile
        self.own: Floats = 1.0 - np.sum(list(weights.values()), axis=0) if weights else np.zeros(0)

    def _per_player(self, values: Mapping[int, float]) -> Floats:
        return np.array([values[int(c)] for c in self._home], dtype=np.float64)

    def _variance(self, anchored: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Floats:
        c = self.covariance
        n = len(self.rating)
        own = np.zeros(n)
        for home, column in self._with_mean.items():
            here = self._home == home
            own[here] = column[here]
        within = c.variance - 2.0 * own + self._per_player(self._of_mean)
        variance = self.scale**2 * (within + self._foreign())
        variance += 2.0 * self.scale * self._stretch * (c.with_log_nu - self._per_player(self._mean_log_nu))
        variance += self._stretch**2 * c.log_nu
        if n and self._sizes[0] == 1 and not anchored[c.component == 0].any():
            # No games at all: only the prior is left.
            variance[c.component == 0] = self.scale**2 * c.of_island(1)
        return np.maximum(variance, 0.0)

    def _foreign(self) -> Floats:
        """(n,) the variance, by the prior alone, of a component's distance from its reference component."""
        component = self.covariance.component
        away = component != self._home
        return np.where(away, self.covariance.of_island(1) * (
            1.0 / self._sizes[component] + 1.0 / self._sizes[self._home]), 0.0)

    def matrix(self) -> Matrix | None:
        """(n, n) covariances of ratings within components, in Elo²; None without an exact covariance."""
        c = self.covariance
        if not c.exact:
            return None
        shown = c.matrix()
        kind = shown.dtype
        own = np.zeros(len(self.rating))
        for home, column in self._with_mean.items():
            here = self._home == home
            own[here] = column[here]
        common = own - 0.5 * self._per_player(self._of_mean) - 0.5 * self._foreign()
        shown -= common.astype(kind)
        shown -= common.astype(kind)[:, None]
        shown *= kind.type(self.scale**2)
        if c.log_nu:
            tie = self.scale * (c.with_log_nu - self._per_player(self._mean_log_nu)) + 0.5 * c.log_nu * self._stretch
            shown += np.outer(tie, self._stretch).astype(kind)
            shown += np.outer(self._stretch, tie).astype(kind)
        return shown


def _weights(component: Ints, anchored: np.ndarray[tuple[int], np.dtype[np.bool_]], number: int) -> Floats:
    """(n,) weights summing to 1: equal for the component's anchors, or for all its players without anchors."""
    members = component == number
    chosen = members & anchored if (members & anchored).any() else members
    return np.asarray(chosen / chosen.sum(), dtype=np.float64)
