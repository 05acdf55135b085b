"""Davidson's likelihood with a first-move advantage on the pair table: its gradient and curvature.

With x = θ_first − θ_second + η and Z = e^{x/2} + e^{−x/2} + ν:

    P(first wins) = e^{x/2} / Z,   P(draw) = ν / Z,   P(second wins) = e^{−x/2} / Z

Sources: R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments",
JASA 65, 1970; R. R. Davidson & R. J. Beaver, "On Extending the Bradley-Terry Model to Incorporate Within-Pair Order
Effects", Biometrics 33, 1977. The curvature comes from log Z alone, so observed and expected information are equal.

θ and η are in natural units: without draws, one unit is 400 / ln 10 Elo.
"""

from collections.abc import Iterator
from typing import Final

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
    upper: the same as an (n, n) sparse upper triangle; diagonal: (n + 2,); border: (n, 2) the columns of η and log ν;
    corner: (2, 2).
    """

    def __init__(self, upper: csr_array, ridge: float, border: Floats, corner: Floats) -> None:
        self.upper = upper
        self.pairs: Floats = upper.data
        self.border = border
        self.corner = corner
        self._lower = upper.T
        ones = np.ones(upper.shape[0])
        self.diagonal = np.concatenate([upper @ ones + self._lower @ ones + ridge, np.diag(corner)])

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
        # Rows sorted by (low, high) already form the upper triangle of a sparse matrix.
        n = len(table.players)
        self._start = np.searchsorted(self._low, np.arange(n + 1)).astype(np.int32)
        self._columns = self._high.astype(np.int32)

    def upper(self, pairs: Floats) -> csr_array:
        """The (n, n) strictly upper triangle with one number per pair of the side."""
        n = len(self._start) - 1
        return csr_array((pairs, self._columns, self._start), shape=(n, n))

    def onto_players(self, pairs: Floats) -> Floats:
        """(n,) the sum over each player's pairs where it has the first seat, minus the sum where it has the second."""
        upper = self.upper(pairs)
        ones = np.ones(upper.shape[0])
        total: Floats = upper @ ones - upper.T @ ones
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


class Likelihood:
    """A table prepared for evaluation; `precision` is the prior's for every parameter, in 1/natural units²."""

    def __init__(self, table: PairTable, precision: float) -> None:
        self.table = table
        self.precision = precision
        self.players = len(table.players)
        self.sides = (Side(table, 1), Side(table, -1))
        self.draws = sum(float(side.draws.sum()) for side in self.sides)
        self._wins = sum(float(side.wins.sum()) for side in self.sides)
        self._start = np.searchsorted(table.low, np.arange(self.players + 1)).astype(np.int32)
        self._columns = table.high.astype(np.int32)
        self._line: Ints | None = None

    @property
    def dense(self) -> bool:
        """Whether so many pairs have met that no two players are far apart in the graph of games."""
        return len(self._columns) > _DENSE * self.players**2 / 2

    @property
    def line(self) -> Ints:
        """(n,) each player's position in an order in which opponents are close: ladders that pair by rating are chains.

        E. Cuthill & J. McKee, "Reducing the Bandwidth of Sparse Symmetric Matrices", 1969. Pairs that met much less
        often than either met others are left out: even a few of them would tangle the chain.
        """
        if self._line is None:
            upper = self.upper(self.table.counts.sum(axis=1))
            most = np.asarray((upper + upper.T).max(axis=1).todense()).ravel()
            seldom = upper.data < _SELDOM * np.minimum(most[self.table.low], most[self.table.high])
            upper = self.upper(np.where(seldom, 0.0, upper.data)).copy()
            upper.eliminate_zeros()
            order = reverse_cuthill_mckee((upper + upper.T).tocsr(), symmetric_mode=True)
            self._line = np.empty(self.players, dtype=np.int64)
            self._line[order] = np.arange(self.players)
        return self._line

    def upper(self, pairs: Floats) -> csr_array:
        """The (n, n) strictly upper triangle with one number per pair of the table."""
        return csr_array((pairs, self._columns, self._start), shape=(self.players, self.players))

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
        p = self.precision
        # Without draws, log ν is not fitted: a 1 in its corner element leaves it unchanged.
        corner = np.array([[pairs.sum() + p, by_both], [by_both, tied + by_log_nu + p if nu > 0.0 else 1.0]])
        return (self._with_prior(total, expected, tied, (theta, eta, nu)),
                Curvature(self.upper(pairs), p, border, corner))

    def _with_prior(
        self, total: Floats, expected: float, tied: float, at: tuple[Floats, float, float]
    ) -> Floats:
        """(n + 2,) the gradient at (θ, η, ν), from the games' part for θ and the expected half results and draws."""
        theta, eta, nu = at
        by_log_nu = self.draws - tied - self.precision * float(np.log(nu)) if nu > 0.0 else 0.0
        return np.concatenate(
            [total - self.precision * theta, [self._wins - expected - self.precision * eta, by_log_nu]])


def blocks(rows: int) -> Iterator[slice]:
    """Slices that cover the rows, block by block."""
    for start in range(0, rows, _BLOCK):
        yield slice(start, start + _BLOCK)
