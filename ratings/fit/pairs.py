"""The pair table: the sufficient statistics of any number of games for a fit of ratings.

A game's score vector under the model is a row of constants that depends only on its result and the player in the first
seat, so the score of a cluster (the games of one pair from one opening) is linear in its six counts c. For each
unordered pair, the sums of c and of c cᵀ over clusters are enough for the likelihood, its derivatives, and errors that
allow for repeated games. The games are not needed again, and their order cannot matter, because everything here is a
sum of integers.
"""

import hashlib
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RESULTS: Final = 6
# A symmetric 6 × 6 matrix is stored as its upper triangle, row by row.
TRIANGLE: Final = np.triu_indices(RESULTS)
MOMENTS: Final = len(TRIANGLE[0])
_DIAGONAL: Final = np.flatnonzero(TRIANGLE[0] == TRIANGLE[1])
_BESIDE: Final = np.flatnonzero(TRIANGLE[0] != TRIANGLE[1])
# Maximum of a count, which is also that of the site's columns: the fit can use any counts up to it. Maximum of a sum of
# products: beyond it, a float64 cannot represent every integer.
_LARGEST_COUNT: Final = 2.0**31 - 1.0
_LARGEST_SUM: Final = 2.0**53


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """All pairs that met, sorted by (low, high), as made by `from_games` or `from_arrays`.

    players: (n,) IDs, ascending.
    low, high: (m,) indices into `players`, low < high.
    counts: (m, 6) whole numbers: with `low` in the first seat its wins, draws and losses, then with `high` in the first
        seat HIGH's wins, draws and losses.
    moments: (m, 21) the upper triangle of Σ c cᵀ over clusters.
    alone: whether every game is its own cluster, so that moments have no more information than counts.
    """

    players: Ints
    low: Ints
    high: Ints
    counts: Floats
    moments: Floats
    alone: bool

    @property
    def games(self) -> int:
        """The number of games in the table."""
        return int(self.counts.sum())

    def digest(self) -> str:
        """The hexadecimal SHA-256 of the table's canonical form: equal for equal data, in any order."""
        digest = hashlib.sha256(b"squarefield pair table 1\n")
        for numbers in (self.players, self.low, self.high, self.counts, *([] if self.alone else [self.moments])):
            largest = int(numbers.max(initial=0))
            kind = next(kind for kind in ("u1", "<u2", "<u4", "<i8") if largest <= np.iinfo(kind).max)
            if numbers.min(initial=0) < 0:
                kind = "<i8"
            digest.update(f"{kind} {numbers.shape}\n".encode())
            digest.update(np.ascontiguousarray(numbers).astype(kind).data)
        return digest.hexdigest()


def from_games(games: Iterable[tuple[int, int, float, Hashable | None]]) -> PairTable:
    """The table of games given as (first seat's player, second's, first seat's score 1, 0.5 or 0, opening).

    Games of a pair with the same opening form one cluster, with either seating; a game without an opening is its own
    cluster. Raises ValueError for a player who meets itself, and for other scores. There may be millions of games, so
    there is no object per cluster.
    """
    listed = list(games)
    seats = np.array([game[:2] for game in listed], dtype=np.int64).reshape(-1, 2)
    scores = np.array([game[2] for game in listed], dtype=np.float64)
    if len(alike := seats[seats[:, 0] == seats[:, 1], 0]):
        raise ValueError(f"player {alike[0]} cannot meet itself")
    if len(wrong := scores[~np.isin(scores, (1.0, 0.5, 0.0))]):
        raise ValueError(f"a game's score must be 1, 0.5 or 0, not {wrong[0]}")
    if not listed:
        return from_arrays(seats[:, 0], seats[:, 1], np.empty((0, RESULTS)), np.empty((0, MOMENTS)))
    numbers: dict[Hashable, int] = {}
    opening = np.array([-1 - n if game[3] is None else numbers.setdefault(game[3], len(numbers))
                        for n, game in enumerate(listed)])
    column = 2 - (2.0 * scores).astype(np.int64) + 3 * (seats[:, 0] > seats[:, 1])
    low, high = seats.min(axis=1), seats.max(axis=1)
    order = np.lexsort((opening, high, low))
    low, high, opening, column = low[order], high[order], opening[order], column[order]
    begins_pair = np.append(True, (low[1:] != low[:-1]) | (high[1:] != high[:-1]))
    begins = np.append(True, opening[1:] != opening[:-1]) | begins_pair
    clusters = np.bincount((np.cumsum(begins) - 1) * RESULTS + column, minlength=RESULTS * int(begins.sum()))
    counts = clusters.reshape(-1, RESULTS).astype(np.float64)
    pairs = np.flatnonzero(begins_pair[begins])
    moments = np.stack([np.add.reduceat(counts[:, i] * counts[:, j], pairs) for i, j in zip(*TRIANGLE, strict=True)], 1)
    return from_arrays(low[begins_pair], high[begins_pair], np.add.reduceat(counts, pairs), moments)


def from_arrays(low: Ints, high: Ints, counts: Floats, moments: Floats | None = None) -> PairTable:
    """The table from columns: (m,) lower and higher IDs, (m, 6) counts, (m, 21) moments, with rows in any order.

    Without moments, every game is its own cluster, and the table's moments are empty, (0, 21).

    Pairs without games are left out. Raises ValueError for IDs in the wrong order, a pair given twice, and numbers that
    are not whole, are negative or are too large for exact sums.
    """
    if (low >= high).any():
        raise ValueError("a pair's first ID must be the lower one")
    products = np.empty((0, MOMENTS)) if moments is None else moments
    for name, numbers, largest in (("counts", counts, _LARGEST_COUNT), ("moments", products, _LARGEST_SUM)):
        if not ((numbers >= 0) & (numbers <= largest) & (numbers == np.floor(numbers))).all():
            raise ValueError(f"{name} of a pair must be whole numbers from 0 to {largest:.0f}")
    order = np.lexsort((high, low))
    order = order[counts[order].any(axis=1)]
    if not np.array_equal(order, np.arange(len(low))):
        low, high, counts = low[order], high[order], counts[order]
        products = products if moments is None else products[order]
    if ((low[1:] == low[:-1]) & (high[1:] == high[:-1])).any():
        raise ValueError("a pair is given twice")
    players = np.unique(np.concatenate([low, high]))
    return PairTable(
        players.astype(np.int64), np.searchsorted(players, low), np.searchsorted(players, high), counts, products,
        alone=moments is None or _says_no_more(products, counts))


def _says_no_more(moments: Floats, counts: Floats) -> bool:
    """Whether the moments show that every game is its own cluster."""
    return bool(np.array_equal(moments[:, _DIAGONAL], counts) and not moments[:, _BESIDE].any())
