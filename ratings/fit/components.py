"""Connected components of the graph of games: only ratings of players in the same component are comparable."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ratings.fit.pairs import Ints, PairTable


def components(table: PairTable) -> Ints:
    """(n,) the number of each player's component, by size, 0 for the largest; ties go to the lowest player ID."""
    n = len(table.players)
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    # Joining each player to one opponent connects nearly all of them; only the few pairs across components remain.
    some = np.full(n, -1)
    some[table.high[::-1]] = np.arange(len(table.high))[::-1]
    some = some[some >= 0]
    count, labels = _joined(n, table.low[some], table.high[some])
    across = np.flatnonzero(labels[table.low] != labels[table.high])
    if len(across):
        count, again = _joined(count, labels[table.low[across]], labels[table.high[across]])
        labels = again[labels]
    sizes = np.bincount(labels, minlength=count)
    first = np.full(count, n)
    np.minimum.at(first, labels, np.arange(n))
    rank = np.empty(count, dtype=np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(count)
    numbers: Ints = rank[labels]
    return numbers


def _joined(n: int, one: Ints, other: Ints) -> tuple[int, Ints]:
    """The number of components of `n` nodes joined pairwise, and the component of each node."""
    count, labels = connected_components(coo_array((np.ones(len(one)), (one, other)), shape=(n, n)), directed=False)
    return int(count), labels
