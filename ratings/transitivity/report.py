"""Do the ratings of a table tell the whole story? Pairs that differ from the fit, cycles, and the maximal lottery.

Both tests are simultaneous: each has a probability of at most 5 % to find anything on a ladder by chance. The pairs'
residuals have Holm's correction. A cycle needs a majority in each of its three pairs, so a false cycle has a false
majority. Tests are two-sided, and only of the cycles that the scores show, significant or not: whatever the directions
of the scores, a majority in a wrong direction is still significant at α with a probability of at most α. Bonferroni's
correction by the number of these cycles, or of their pairs if that is smaller, is therefore valid.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.fit.covariance import Covariance
from ratings.fit.davidson import Fit
from ratings.fit.estimate import Estimated
from ratings.fit.pairs import Floats, Ints
from ratings.fit.student import holm
from ratings.transitivity.evidence import Evidence, evidence
from ratings.transitivity.lottery import maximal_lottery

LEVEL: Final = 0.05
# Maximum number of players: the pairs and the lottery's pivots grow with its square and more.
LARGEST: Final = 200
# Number of deviations and of cycles that are listed; all are counted.
LISTED: Final = 50
# With fewer games, a pair's margin in the lottery is the fit's: one game would be a majority of 100 %.
_LEAST_GAMES: Final = 10


@dataclass(frozen=True, slots=True)
class Deviation:
    """A pair whose score differs from the fit: `first` scored more points than expected against `second`."""

    first: int
    second: int
    games: int
    points: float
    expected: float
    probability: float


@dataclass(frozen=True, slots=True)
class Cycle:
    """Three players: each beats the next, and the last beats the first; shares: of the points, in this order."""

    players: tuple[int, int, int]
    shares: tuple[float, float, float]
    probability: float


@dataclass(frozen=True, slots=True)
class Transitivity:
    """The findings about a table. Players are ranks in it, from 1.

    pairs: that met; tested: those with enough games to compare with the fit; deviating, cycling: numbers of findings,
    of which `deviations` and `cycles` list the clearest; lottery: the probabilities of the largest component's players,
    by rank; estimated: the number of that component's pairs whose margins in the lottery are the fit's.
    """

    pairs: int
    tested: int
    deviating: int
    deviations: tuple[Deviation, ...]
    cycling: int
    cycles: tuple[Cycle, ...]
    lottery: tuple[float, ...]
    estimated: int


def examine(estimated: Estimated, covariance: Covariance, order: Ints) -> Transitivity | None:
    """The findings; None without games and for more than LARGEST players. `order` has players' indices, best first."""
    table = estimated.table
    if not len(table.low) or len(table.players) > LARGEST or not covariance.exact:
        return None
    found = evidence(estimated, covariance)
    place = np.argsort(order)
    low, high = place[table.low], place[table.high]
    tested, deviations = _deviations(low, high, found)
    cycles = _cycles(len(order), low, high, found)
    largest = int((covariance.component == 0).sum())
    lottery, predicted = _lottery(estimated.fit, order[:largest], low, high, found)
    return Transitivity(
        pairs=len(table.low), tested=tested, deviating=len(deviations), deviations=tuple(deviations[:LISTED]),
        cycling=len(cycles), cycles=tuple(cycles[:LISTED]), lottery=lottery, estimated=predicted)


def _deviations(low: Ints, high: Ints, found: Evidence) -> tuple[int, list[Deviation]]:
    """The number of tested pairs, and those that differ from the fit, the clearest first."""
    tested = np.flatnonzero(~np.isnan(found.unlike_fit))
    listed = []
    for pair, probability in zip(tested.tolist(), holm(found.unlike_fit[tested].tolist()), strict=True):
        if probability > LEVEL:
            continue
        games, points, expected = (float(each[pair]) for each in (found.games, found.points, found.expected))
        sides = int(low[pair]) + 1, int(high[pair]) + 1
        if points < expected:
            sides, points, expected = sides[::-1], games - points, games - expected
        listed.append(Deviation(*sides, int(games), points, round(expected, 6), round(probability, 6)))
    return len(tested), sorted(listed, key=lambda each: (each.probability, each.first, each.second))


def _cycles(n: int, low: Ints, high: Ints, found: Evidence) -> list[Cycle]:
    """The cycles of three whose majorities are all significant, the clearest first."""
    beats = np.zeros((n, n), dtype=np.bool_)
    up = found.points > found.games / 2.0
    down = found.points < found.games / 2.0
    tested = ~np.isnan(found.uneven)
    for rows, first, second in ((up & tested, low, high), (down & tested, high, low)):
        beats[first[rows], second[rows]] = True
    # The number of cycles through an edge from a to b: players that lose to b and beat a.
    through = np.where(beats, _steps(beats).T, 0.0)
    tests = min(float(through.sum()) / 3.0, float((through > 0.0).sum()))
    adjusted, share = np.ones((n, n)), np.full((n, n), math.nan)
    adjusted[low, high] = adjusted[high, low] = np.fmin(1.0, np.nan_to_num(found.uneven, nan=1.0) * tests)
    share[low, high] = found.points / found.games
    share[high, low] = 1.0 - share[low, high]
    sure = (through > 0.0) & (adjusted <= LEVEL)
    triples = [(a, b, c) for a in range(n) for b in _from(a + 1, sure[a]) for c in _from(a + 1, sure[b] & sure[:, a])]
    return sorted((_cycle(triple, share, adjusted) for triple in triples),
                  key=lambda each: (each.probability, -min(each.shares), each.players))


def _from(first: int, mask: NDArray[np.bool_]) -> list[int]:
    """The indices from `first` on where the mask is true."""
    return [first + each for each in np.flatnonzero(mask[first:]).tolist()]


def _steps(beats: NDArray[np.bool_]) -> Floats:
    """(n, n) the number of players between two: they lose to the first and beat the second."""
    edges = beats.astype(np.float64)
    return edges @ edges


def _cycle(triple: tuple[int, int, int], share: Floats, adjusted: Floats) -> Cycle:
    a, b, c = triple
    steps = ((a, b), (b, c), (c, a))
    return Cycle(
        (a + 1, b + 1, c + 1),
        (round(float(share[a, b]), 6), round(float(share[b, c]), 6), round(float(share[c, a]), 6)),
        round(max(float(adjusted[step]) for step in steps), 6))


def _lottery(fit: Fit, order: Ints, low: Ints, high: Ints, found: Evidence) -> tuple[tuple[float, ...], int]:
    """The maximal lottery over these players (indices, best first), and the number of margins that are the fit's."""
    theta, n = fit.theta[order], len(order)
    # Until a pair has played enough: the mean over both seats.
    gap = theta[:, None] - theta
    margins = 0.5 * (_margin(gap + fit.eta, fit.nu) + _margin(gap - fit.eta, fit.nu))
    margins = 0.5 * (margins - margins.T)
    played = np.flatnonzero((found.games >= _LEAST_GAMES) & (np.maximum(low, high) < n))
    margin = 2.0 * found.points[played] / found.games[played] - 1.0
    margins[low[played], high[played]], margins[high[played], low[played]] = margin, -margin
    chances = maximal_lottery(margins)
    return tuple(round(chance, 6) for chance in chances.tolist()), n * (n - 1) // 2 - len(played)


def _margin(x: Floats, nu: float) -> Floats:
    """The probability of a win less that of a loss, for strengths that differ by `x`."""
    small = np.exp(-np.abs(x))
    margin: Floats = np.sign(x) * (1.0 - small) / (1.0 + small + nu * np.sqrt(small))
    return margin
