"""Davidson's likelihood with a first-move advantage on the pair table: its gradient and curvature.

With x = θ_first − θ_second + η and Z = e^{x/2} + e^{−x/2} + ν:

    P(first wins) = e^{x/2} / Z,   P(draw) = ν / Z,   P(second wins) = e^{−x/2} / Z

Sources: R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments",
JASA 65, 1970; R. R. Davidson & R. J. Beaver, "On Extending the Bradley-Terry Model to Incorporate Within-Pair Order
Effects", Biometrics 33, 1977. The curvature comes from log Z alone, so observed and expected information are equal.

θ and η are in natural units: without draws, one unit is 400 / ln 10 Elo.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from ratings.fit.pairs import Floats, Ints, PairTable

# Rows per block: a dozen arrays of this length fit in a core's cache.
_BLOCK: Final = 16384
_DENSE: Final = 0.05
_SELDOM: Final = 0.2


class Curvature:
    """A symmetric matrix over (θ, η, log ν): a Laplacian over pairs, a ridge and a border.

    pairs: (m,) the amount that each pair adds to its two diagonal elements and subtracts from the element between them;
    diagonal: (n + 2,); border: (n, 2) the columns of η and log ν; corner: (2, 2).
    """

    def __init__(self, likelihood: "Likelihood", pairs: Floats, ridge: float, border: Floats, corner: Floats) -> None:
        table, n = likelihood.table, likelihood.players
        self.pairs = pairs
        self.border = border
        self.corner = corner
        self.diagonal = np.concatenate([
            np.bincount(table.low, pairs, n) + np.bincount(table.high, pairs, n) + ridge, np.diag(corner)])
        self._likelihood = likelihood

    @cached_property
    def upper(self) -> csr_array:
        """(n, n) the strictly upper triangle with the pairs' amounts."""
        return self._likelihood.upper(self.pairs)

    @cached_property
    def _lower(self) -> csr_array:
        return self.upper.T

    def lower(self, kind: type[np.floating[Any]] = np.float64) -> NDArray[Any]:
        """(n + 2, n + 2) the lower triangle as a dense matrix, in Fortran order, with zeros above."""
        n, table = self._likelihood.players, self._likelihood.table
        dense = np.zeros((n + 2, n + 2), dtype=kind, order="F")
        dense.T.reshape(-1)[table.low * (n + 2) + table.high] = -self.pairs
        diagonal = np.arange(n)
        dense[diagonal, diagonal] = self.diagonal[:n]
        dense[n:, :n] = self.border.T
        dense[n:, n:] = np.tril(self.corner)
        return dense

    def times(self, x: Floats) -> Floats:
        """(n + 2,) the matrix times `x`."""
        theta, rest = x[:-2], x[-2:]
        product = self.diagonal * x
        product[:-2] -= self.upper @ theta + self._lower @ theta - self.border @ rest
        product[-2:] = self.border.T @ theta + self.corner @ rest
        return product


class Side:
    """The pairs that met with their lower (or their higher) player in the first seat.

    rows: the indices of these pairs in the table; sign: 1 with the lower player in the first seat, −1 with the higher;
    games, wins (half the first seat's wins less its losses) and draws: (rows,) each.
    """

    def __init__(self, table: PairTable, sign: int) -> None:
        self.sign = sign
        columns = slice(0, 3) if sign > 0 else slice(3, 6)
        games, wins, draws = np.empty((3, len(table.low)))
        for block in blocks(len(table.low)):
            won, drawn, lost = np.ascontiguousarray(table.counts[block, columns].T)
            draws[block] = drawn
            games[block] = won + drawn + lost
            wins[block] = 0.5 * (won - lost)
        met = games > 0.0
        self.rows: slice | NDArray[np.intp] = slice(None) if met.all() else np.flatnonzero(met)
        self.games, self.wins, self.draws = games[self.rows], wins[self.rows], draws[self.rows]
        self._low, self._high = table.low[self.rows], table.high[self.rows]
        self._players = len(table.players)

    def onto_players(self, pairs: Floats) -> Floats:
        """(n,) the sum over each player's pairs where it has the first seat, minus the sum where it has the second."""
        first, second = (np.bincount(seats, pairs, self._players) for seats in (self._low, self._high))
        total: Floats = np.subtract(first, second, dtype=np.float64)
        return total if self.sign > 0 else -total

    def expectations(self, theta: Floats, eta: float, nu: float) -> Iterator[tuple[slice, Floats, Floats]]:
        """Block by block: half the first seat's expected result (win 1, loss −1), and the probability of a draw."""
        worth = np.exp(0.5 * self.sign * theta)  # one exponential per player, none per pair
        advantage = np.exp(0.5 * eta)
        for block in blocks(len(self._low)):
            half = worth[self._low[block]]
            half /= worth[self._high[block]]
            half *= advantage
            square = half * half
            half *= nu
            inverse = square + half
            inverse += 1.0
            np.divide(1.0, inverse, out=inverse)
            half *= inverse
            square -= 1.0
            square *= inverse
            square *= 0.5
            yield block, square, half


class Prior(NamedTuple):
    """The prior: precisions, in 1/natural units², of every θ and of η, and games between equals as a memory of draws.

    θ and η are normal with the mean 0. The share of draws between equals, ν / (2 + ν), is as after `draws` draws and as
    many decided games: log(ν / 2) is the logit of a beta distribution.
    """

    rating: float
    advantage: float
    draws: float


class Likelihood:
    """A table prepared for evaluation, with a prior."""

    def __init__(self, table: PairTable, prior: Prior) -> None:
        self.table = table
        self.prior = prior
        self.players = len(table.players)
        self.sides = (Side(table, 1), Side(table, -1))
        self.draws = sum(float(side.draws.sum()) for side in self.sides)
        self._wins = sum(float(side.wins.sum()) for side in self.sides)
        self._start = np.searchsorted(table.low, np.arange(self.players + 1)).astype(np.int32)
        self._columns = table.high.astype(np.int32)

    @property
    def dense(self) -> bool:
        """Whether so many pairs have met that no two players are far apart in the graph of games."""
        return len(self._columns) > _DENSE * self.players**2 / 2

    @cached_property
    def line(self) -> Ints:
        """(n,) each player's position in an order in which opponents are close: ladders that pair by rating are chains.

        E. Cuthill & J. McKee, "Reducing the Bandwidth of Sparse Symmetric Matrices", 1969. Pairs that met much less
        often than either met others are left out: even a few of them would tangle the chain.
        """
        upper = self.upper(self.table.counts.sum(axis=1))
        most = np.asarray((upper + upper.T).max(axis=1).todense()).ravel()
        seldom = upper.data < _SELDOM * np.minimum(most[self.table.low], most[self.table.high])
        upper = self.upper(np.where(seldom, 0.0, upper.data)).copy()
        upper.eliminate_zeros()
        order = reverse_cuthill_mckee((upper + upper.T).tocsr(), symmetric_mode=True)
        places: Ints = np.empty(self.players, dtype=np.int64)
        places[order] = np.arange(self.players)
        return places

    def upper(self, pairs: Floats) -> csr_array:
        """The (n, n) strictly upper triangle with one number per pair of the table."""
        return csr_array((pairs, self._columns, self._start), shape=(self.players, self.players))

    def expected(self, theta: Floats, eta: float, nu: float) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """For games with `low` and with `high` first: (m,) expected half results of the first seat, and draws.

        They are zero for pairs without such games.
        """
        low, high = (np.zeros((2, len(self._columns))) for _ in self.sides)
        for side, everywhere in zip(self.sides, (low, high), strict=True):
            rows = np.arange(len(self._columns))[side.rows]
            for block, mean, draw in side.expectations(theta, eta, nu):
                everywhere[:, rows[block]] = mean, draw
        return (low[0], low[1]), (high[0], high[1])

    def gradient(self, theta: Floats, eta: float, nu: float) -> Floats:
        """(n + 2,) the gradient of the log posterior."""
        total, expected, tied = np.zeros(self.players), 0.0, 0.0
        for side in self.sides:
            slope = np.empty(len(side.games))
            for block, mean, draw in side.expectations(theta, eta, nu):
                games = side.games[block]
                up = games * mean
                expected += float(up.sum())
                tied += float(games @ draw)
                np.subtract(side.wins[block], up, out=slope[block])
            total += side.onto_players(slope)
        return self._with_prior(total, expected, tied, (theta, eta, nu))

    def derivatives(self, theta: Floats, eta: float, nu: float) -> tuple[Floats, Curvature]:
        """The gradient of the log posterior, and its negative Hessian."""
        pairs, total, border = np.zeros(len(self._columns)), np.zeros(self.players), np.zeros((self.players, 2))
        expected = tied = by_both = by_log_nu = 0.0
        for side in self.sides:
            slope, weight, tie = np.empty((3, len(side.games)))
            for block, mean, draw in side.expectations(theta, eta, nu):
                games = side.games[block]
                drawn, up = games * draw, games * mean
                expected += float(up.sum())
                tied += float(drawn.sum())
                by_both -= float(drawn @ mean)
                by_log_nu -= float(drawn @ draw)
                np.subtract(side.wins[block], up, out=slope[block])
                if nu > 0.0:
                    np.multiply(drawn, mean, out=tie[block])
                # The variance of half the result is (1 − P(draw)) / 4 − mean².
                up *= mean
                np.subtract(games, drawn, out=drawn)
                drawn *= 0.25
                np.subtract(drawn, up, out=weight[block])
            total += side.onto_players(slope)
            border[:, 0] += side.onto_players(weight)
            if nu > 0.0:
                border[:, 1] -= side.onto_players(tie)
            pairs[side.rows] += weight
        share = nu / (2.0 + nu)
        # Without draws, log ν is not fitted: a 1 in its corner element leaves it unchanged.
        own = tied + by_log_nu + 2.0 * self.prior.draws * share * (1.0 - share) if nu > 0.0 else 1.0
        corner = np.array([[pairs.sum() + self.prior.advantage, by_both], [by_both, own]])
        return (self._with_prior(total, expected, tied, (theta, eta, nu)),
                Curvature(self, pairs, self.prior.rating, border, corner))

    def _with_prior(
        self, total: Floats, expected: float, tied: float, at: tuple[Floats, float, float]
    ) -> Floats:
        """(n + 2,) the gradient at (θ, η, ν), from the games' part for θ and the expected half results and draws."""
        theta, eta, nu = at
        by_log_nu = self.draws - tied + self.prior.draws * (2.0 - nu) / (2.0 + nu) if nu > 0.0 else 0.0
        return np.concatenate(
            [total - self.prior.rating * theta, [self._wins - expected - self.prior.advantage * eta, by_log_nu]])


def blocks(rows: int) -> Iterator[slice]:
    """Slices that cover the rows, block by block."""
    for start in range(0, rows, _BLOCK):
        yield slice(start, start + _BLOCK)
