"""The fit: Davidson's model (`likelihood`) with a weak Gaussian prior, by Newton's method on the pair table.

Each step is a sparse system, which `solver` solves. A step that would overshoot is shortened: the log posterior is
concave, so it has a single maximum.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ratings.fit.likelihood import Likelihood, Prior
from ratings.fit.pairs import Floats, Ints
from ratings.fit.solver import Solver

ELO: Final = 400.0 / math.log(10.0)
# Instead of no prior, this one is used: it moves no parameter by 1e-8, but keeps every system solvable.
FLAT: Final = Prior(1e-8, 1e-8, 1e-8)

# Parameters are fitted far more precisely than this and then rounded to it, so that warm and cold starts give the same
# bits.
_GRID: Final = 2.0**-24
_STEPS: Final = 100
_LONGEST_STEP: Final = 8.0
# The error after a step is about its length times the error of its curvature.
ENOUGH: Final = 5e-13
# Minimum relative error of solutions: on a sparse graph, more steps are cheaper than more digits.
_EXACT: Final = 1e-4
_EXACT_DENSE: Final = 1e-6
# With more pairs than this, an eighth of them is fitted first, to this precision.
_MANY: Final = 100_000
_ROUGH: Final = 1e-2
# A curvature is reused until the parameters have moved this far from where it was computed.
_STALE: Final = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Fitted parameters in natural units, on a grid of 2⁻²⁴.

    players: (n,) IDs, ascending; theta: (n,); eta: the first-move advantage; nu: the draw parameter, 0 without draws;
    iterations: number of steps; converged: False only without a prior, if a player's rating is unbounded.
    """

    players: Ints
    theta: Floats
    eta: float
    nu: float
    iterations: int
    converged: bool

    @property
    def scale(self) -> float:
        """Displayed Elo per natural unit: the expected score has the slope of logistic Elo at equality."""
        return scale_of(self.nu)


def scale_of(nu: float) -> float:
    """Displayed Elo per natural unit, with this draw parameter."""
    return ELO * 2.0 / (2.0 + nu)


def fit(likelihood: Likelihood, *, start: Fit | None = None, enough: float = ENOUGH) -> Fit:
    """The most probable parameters, to within `enough`. Without it, the result is the same to the bit for every start.

    `start` is an earlier fit of a similar table, matched by player.
    """
    table = likelihood.table
    if not len(table.low):
        return Fit(table.players, np.zeros(len(table.players)), 0.0, 0.0, iterations=0, converged=True)
    at, steps, converged = _maximise(likelihood, _start(likelihood, start), enough)
    at = np.round(at / _GRID) * _GRID
    nu = math.exp(at[-1]) if likelihood.draws else 0.0
    return Fit(table.players, at[:-2], float(at[-2]), nu, steps, converged)


def _start(likelihood: Likelihood, start: Fit | None) -> Floats:
    """(n + 2,) starting values of θ, η, log ν."""
    table, draws = likelihood.table, likelihood.draws
    if start is None and likelihood.dense and len(table.low) > _MANY:
        # If most pairs have met, an eighth of them gives nearly the same result in an eighth of the time.
        some = slice(None, None, 8)
        part = replace(table, low=table.low[some], high=table.high[some], counts=table.counts[some])
        at, _, _ = _maximise(rough := Likelihood(part, likelihood.prior), _start(rough, None), _ROUGH)
        return at
    at = np.zeros(len(table.players) + 2)
    games = float(table.counts.sum())
    if draws:
        at[-1] = math.log(2.0 * (draws + 0.5) / (games - draws + 0.5))
    if start is None or not len(start.players):
        return at
    place = np.minimum(np.searchsorted(start.players, table.players), len(start.players) - 1)
    at[:-2] = np.where(start.players[place] == table.players, start.theta[place], 0.0)
    at[-2] = start.eta
    if draws and start.nu > 0.0:
        at[-1] = math.log(start.nu)
    return at


def _maximise(likelihood: Likelihood, at: Floats, enough: float) -> tuple[Floats, int, bool]:
    """The maximum of the log posterior to within `enough`, the number of steps, and whether it was reached."""
    gradient, solver = _curved(likelihood, at)
    drift = 0.0  # how far the parameters have moved since the curvature was computed
    for steps in range(1, _STEPS + 1):
        # A step need not be more precise than the error after it: its square, or the drift of the curvature.
        least = _EXACT_DENSE if likelihood.dense else _EXACT
        tolerance = min(max(0.3 * solver.rough(gradient), 0.3 * drift, least), 0.03)
        step = solver.solve(gradient, tolerance)
        size = float(np.abs(step).max())
        if size > _LONGEST_STEP:
            step *= _LONGEST_STEP / size
        elif size * max(size, drift, tolerance) <= enough:
            return at + step, steps, True
        rise = float(gradient @ step)
        for _ in range(_STEPS):
            drift += float(np.abs(step).max())
            if drift > _STALE:
                after, curved = _curved(likelihood, at + step)
                drift = 0.0
            else:
                after, curved = likelihood.gradient(*_split(likelihood, at + step)), solver
            slope = float(after @ step)
            if slope >= -0.5 * rise:
                break
            # The step overshot the maximum by more than half: go back to the secant's estimate of it.
            step *= rise / (rise - slope)
            rise *= rise / (rise - slope)
        at, gradient, solver = at + step, after, curved
    return at, _STEPS, False


def _split(likelihood: Likelihood, at: Floats) -> tuple[Floats, float, float]:
    """Split a vector of θ, η and log ν into θ, η and ν."""
    return at[:-2], float(at[-2]), math.exp(at[-1]) if likelihood.draws else 0.0


def _curved(likelihood: Likelihood, at: Floats) -> tuple[Floats, Solver]:
    """The gradient, and a solver for the negative Hessian."""
    gradient, curvature = likelihood.derivatives(*_split(likelihood, at))
    return gradient, Solver(likelihood, curvature)
