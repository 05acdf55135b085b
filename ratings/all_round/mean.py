"""The mean of players' official ratings on several ladders, each with the same weight.

Ladders have no games in common, so their errors are independent, and covariances of the mean are the sums of the
ladders' covariances, times the square of the weight. A ladder's zero moves all players equally, so that the choice of
zeros changes no difference, no rank and no rank interval. With one ladder, the lines are that ladder's to the last
digit: the same function ranks them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratings.fit.covariance import Matrix
from ratings.fit.pairs import Floats, Ints
from ratings.official import Line, order_of, ranked


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A ladder's ratings of the same n players: (n,) rating and variance in Elo, (4, n) games, wins, draws and losses.

    quantile and own: as `ratings.official.Rated` has them.

    covariances: (n, n), None for a ladder too large for exact ones; nu: the draw parameter.
    """

    rating: Floats
    variance: Floats
    quantile: Floats
    own: Floats
    covariances: Matrix | None
    tallies: Ints
    nu: float


@dataclass(frozen=True, slots=True, eq=False)
class AllRound:
    """The lines, best first, and (lines, parts) each line's rank among the same players without that part.

    exact: whether the covariances of all parts are known; others are taken as zero.
    """

    lines: tuple[Line, ...]
    rank_without: tuple[tuple[int, ...], ...]
    exact: bool


class _Mean:
    def __init__(self, parts: Sequence[Part]) -> None:
        weight = 1.0 / len(parts)
        self.rating: Floats = np.sum([weight * part.rating for part in parts], axis=0)
        self.variance: Floats = np.sum([weight**2 * part.variance for part in parts], axis=0)
        self.quantile: Floats = np.max([part.quantile for part in parts], axis=0)
        self.own: Floats = np.max([part.own for part in parts], axis=0)
        self._covariances = [part.covariances for part in parts]
        self._weight = weight

    def matrix(self) -> Matrix | None:
        known = [matrix for matrix in self._covariances if matrix is not None]
        whole: Matrix | None = np.sum([self._weight**2 * matrix for matrix in known], axis=0) if known else None
        return whole


def all_round(players: Ints, parts: Sequence[Part]) -> AllRound:
    """The table of these players (IDs) over at least one part."""
    nothing = np.zeros(len(players), dtype=np.int64)
    tallies = np.sum([part.tallies for part in parts], axis=0)
    nu = sum(part.nu for part in parts) / len(parts)
    mean = _Mean(parts)
    lines = ranked(order_of(players, mean.rating, nothing), players, tallies, mean, nothing, nu)
    without = [_ranks(players, [each for each in parts if each is not part]) for part in parts if len(parts) > 1]
    return AllRound(lines, tuple(tuple(ranks[line.player] for ranks in without) for line in lines),
                    all(part.covariances is not None for part in parts))


def _ranks(players: Ints, parts: Sequence[Part]) -> dict[int, int]:
    order = np.lexsort((players, -_Mean(parts).rating))
    return {int(players[which]): place + 1 for place, which in enumerate(order)}
