"""The whole estimate of a table: repeats, the spread of the ratings and the fit, each from the others."""

import math
from dataclasses import dataclass, replace
from typing import Final

from ratings.fit.davidson import ELO, Fit, fit
from ratings.fit.likelihood import Likelihood, Prior
from ratings.fit.pairs import PairTable
from ratings.fit.repeats import worth
from ratings.fit.spread import FIRST, Spread, learn

# Prior of the first-move advantage: its standard deviation in Elo. Prior of draws: games of each kind.
ADVANTAGE: Final = 100.0
DRAWS: Final = 1.0
# Maximum of rounds in which the spread and the repeats follow the ratings, and the change of either that ends them.
ROUNDS: Final = 4
_STEADY: Final = 0.01
_ROUGH: Final = 1e-3
# The spread is rounded, so that the last bits of a round do not reach the fit.
_DIGITS: Final = 9


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """A fit, with the likelihood that it maximises (of new games), and the spread that its prior has."""

    table: PairTable
    likelihood: Likelihood
    fit: Fit
    spread: Spread


def prior_of(spread: float, nu: float) -> Prior:
    """The prior with this spread of ratings, for games without draws, in Elo.

    A draw between equals says more about a difference in Elo than a decided game, so a game with draws has
    (2 + ν) / 2 times the information. The prior is worth the same number of games whatever the draws.
    """
    share = 2.0 / (2.0 + nu)
    return Prior((ELO / spread) ** 2 * share, (ELO / ADVANTAGE) ** 2 * share, DRAWS)


def estimate(table: PairTable, *, start: Fit | None = None) -> Estimated:
    """The estimate. The first rounds start from nothing, so that `start` does not change a bit of the last."""
    draws, games = float(table.counts[:, [1, 4]].sum()), float(table.counts.sum())
    nu = 2.0 * (draws + DRAWS) / (games - draws + DRAWS) if draws else 0.0
    spread, new, fitted = FIRST, table, None
    for _ in range(ROUNDS):
        likelihood = Likelihood(new, prior_of(math.exp(spread.log), nu))
        fitted = fit(likelihood, start=fitted, enough=_ROUGH)
        nu, before, worth_before = fitted.nu, spread.log, float(new.counts.sum())
        spread = Spread(*(round(each, _DIGITS) for each in learn(likelihood, fitted)))
        if not table.alone:
            expected = likelihood.expected(fitted.theta, fitted.eta, fitted.nu)
            new = replace(table, counts=worth(table.counts, table.moments, *expected))
        if max(abs(spread.log - before), abs(float(new.counts.sum()) / max(worth_before, 1.0) - 1.0)) < _STEADY:
            break
    likelihood = Likelihood(new, prior_of(math.exp(spread.log), nu))
    return Estimated(table, likelihood, fit(likelihood, start=fitted if start is None else start), spread)
