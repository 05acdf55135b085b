"""The maximal lottery: the ranking of a tournament that does not assume transitivity.

It is the lottery over players that no other lottery beats on average: an optimal mixed strategy of the symmetric
zero-sum game whose payoffs are the pairs' majority margins. P. C. Fishburn, "Probabilistic Social Choice Based on
Simple Voting Comparisons", Review of Economic Studies 51, 1984; F. Brandl, F. Brandt, H. G. Seedig, "Consistent
Probabilistic Social Choice", Econometrica 84, 2016.

The game is solved as a linear programme by the simplex method (G. B. Dantzig, "Maximization of a Linear Function of
Variables Subject to Linear Inequalities", 1951). While a pivot does not improve the objective, the next follows the
rule of R. G. Bland, "New Finite Pivoting Rules for the Simplex Method", Mathematics of Operations Research 2, 1977,
with which the method cannot cycle.
"""

from typing import Final

import numpy as np

from ratings.fit.pairs import Floats

_ZERO: Final = 1e-10


def maximal_lottery(margins: Floats) -> Floats:
    """(n,) the probabilities of an (n, n) matrix of margins: [a, b] is positive if a beats b, and minus [b, a].

    With ties there may be several lotteries. The result is then one that the order of the rows decides: the same for
    the same matrix. Raises ValueError if the matrix is not antisymmetric.
    """
    n = len(margins)
    if not np.array_equal(margins, -margins.T):
        raise ValueError("a margin must be minus the opposite one")
    if not n:
        return np.zeros(0)
    # With positive payoffs, the strategy y maximises Σ y under (payoffs) y ≤ 1, y ≥ 0, up to a factor. A column of the
    # tableau is a player or a slack; its last column is the right side, and its last row the objective.
    largest = float(np.abs(margins).max()) or 1.0
    tableau = np.zeros((n + 1, 2 * n + 1))
    tableau[:n, :n] = margins / largest + 2.0
    tableau[:n, n:-1] = np.eye(n)
    tableau[:n, -1] = 1.0
    tableau[n, :n] = -1.0
    basis = _solved(tableau)
    chances = np.zeros(2 * n)
    chances[basis] = np.maximum(tableau[:n, -1], 0.0)
    lottery: Floats = chances[:n] / chances[:n].sum()
    return lottery


def _solved(tableau: Floats) -> Floats:
    """Pivot the tableau until no column improves the objective; return (n,) the columns of the basis."""
    n = len(tableau) - 1
    basis = np.arange(n, 2 * n)
    improves = True
    while len(better := np.flatnonzero(tableau[n, :-1] < -_ZERO)):
        column = int(np.argmin(tableau[n, :-1]) if improves else better[0])
        rows = np.flatnonzero(tableau[:n, column] > _ZERO)
        ratios = tableau[rows, -1] / tableau[rows, column]
        ties = rows[ratios <= ratios.min() + _ZERO]
        row = int(ties[np.argmin(basis[ties])])
        improves = bool(ratios.min() > _ZERO)
        tableau[row] /= tableau[row, column]
        others = np.arange(n + 1) != row
        tableau[others] -= np.outer(tableau[others, column], tableau[row])
        basis[row] = column
    return basis
