"""Many small ladders at once: the official table's arithmetic with dense matrices, for simulations.

The product estimates one ladder at a time, which takes some milliseconds even for two players. Here the same formulas
run over a leading axis of R ladders that share their m pairs of n players. Repeats, spreads and quantiles are computed
by the product's functions. `tests/ratings/test_coverage.py` compares the results with the product's.
"""

from dataclasses import dataclass

import numpy as np

from ratings.fit.covariance import FREEDOM
from ratings.fit.davidson import ELO
from ratings.fit.estimate import ADVANTAGE, DRAWS, ROUNDS
from ratings.fit.pairs import Floats
from ratings.fit.repeats import worth
from ratings.fit.spread import FIRST, STEP, posterior
from ratings.fit.student import quantile

MOST_STEPS = 60
At = tuple[Floats, Floats, Floats]


@dataclass
class Ladders:
    """`low` and `high` players of the pairs; (R, m, 6) counts and (R, m, 21) moments."""

    players: int
    low: np.ndarray
    high: np.ndarray
    counts: Floats
    moments: Floats


@dataclass
class Rated:
    """In Elo: (R, n) ratings around their mean, half widths and variances, (R, n, n) covariances; (R,) η, its variance,
    the scale; draws: (R,) draw rate between equals, the variance of its log-odds, even games without a draw."""

    rating: Floats
    half: Floats
    variance: Floats
    matrix: Floats
    eta: Floats
    eta_variance: Floats
    scale: Floats
    draws: tuple[Floats, Floats, Floats]


def scale_of(nu: Floats | float) -> Floats:
    return np.asarray(ELO * 2.0 / (2.0 + nu))


def expectations(ladders: Ladders, at: At) -> list[tuple[Floats, Floats]]:
    theta, eta, nu = at
    gap = theta[:, ladders.low] - theta[:, ladders.high]
    sides = []
    for x in (gap + eta[:, None], eta[:, None] - gap):
        win, loss = np.exp(x / 2.0), np.exp(-x / 2.0)
        z = win + loss + nu[:, None]
        sides.append((0.5 * (win - loss) / z, nu[:, None] / z))
    return sides


def curvature(ladders: Ladders, counts: Floats, at: At, prior: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """(R, n + 2) gradients and (R, n + 2, n + 2) negative Hessians of the log posterior."""
    theta, eta, nu = at
    precision, advantage = prior
    n, m, drawn = ladders.players, len(ladders.low), counts[:, :, [1, 4]].sum(axis=(1, 2)) > 0.0
    g, h = np.zeros((len(eta), n + 2)), np.zeros((len(eta), n + 2, n + 2))
    step = np.zeros((m, n))
    step[np.arange(m), ladders.low], step[np.arange(m), ladders.high] = 1.0, -1.0
    weights = np.zeros(counts.shape[:2])
    for sign, first, (mean, draw) in zip((1.0, -1.0), (0, 3), expectations(ladders, at), strict=True):
        c = counts[:, :, first:first + 3]
        games = c.sum(axis=2)
        slope = 0.5 * (c[:, :, 0] - c[:, :, 2]) - games * mean
        weight, tie = games * (0.25 * (1.0 - draw) - mean**2), games * draw * mean
        weights += weight
        g += np.concatenate([sign * slope @ step, slope.sum(axis=1)[:, None],
                             (c[:, :, 1] - games * draw).sum(axis=1)[:, None]], axis=1)
        h[:, :n, n] += sign * weight @ step
        h[:, :n, n + 1] -= sign * tie @ step
        h[:, n, n] += weight.sum(axis=1)
        h[:, n, n + 1] -= tie.sum(axis=1)
        h[:, n + 1, n + 1] += (games * draw * (1.0 - draw)).sum(axis=1)
    outer = (step[:, :, None] * step[:, None, :]).reshape(m, n * n)
    h[:, :n, :n] = (weights @ outer).reshape(-1, n, n) + precision[:, None, None] * np.eye(n)
    rate = nu / (2.0 + nu)
    g[:, :n] -= precision[:, None] * theta
    g[:, n] -= advantage * eta
    g[:, n + 1] = np.where(drawn, g[:, n + 1] + DRAWS * (1.0 - 2.0 * rate), 0.0)
    h[:, n, n] += advantage
    h[:, :, n + 1] *= drawn[:, None]
    h[:, n + 1, n + 1] += np.where(drawn, 2.0 * DRAWS * rate * (1.0 - rate), 1.0)
    h[:, n:, :n] = h[:, :n, n:].transpose(0, 2, 1)
    h[:, n + 1, n] = h[:, n, n + 1]
    return g, h


def fit(ladders: Ladders, counts: Floats, at: At, prior: tuple[Floats, Floats]) -> At:
    for _ in range(MOST_STEPS):
        g, h = curvature(ladders, counts, at, prior)
        move = np.linalg.solve(h, g[:, :, None])[:, :, 0]
        move *= np.minimum(1.0, 1.5 / np.maximum(np.abs(move).max(axis=1, keepdims=True), 1e-12))
        at = moved(at, move)
        if np.abs(move).max() < 1e-7:
            break
    return at


def moved(at: At, move: Floats) -> At:
    return at[0] + move[:, :-2], at[1] + move[:, -2], at[2] * np.exp(move[:, -1])


def prior_of(log: Floats, nu: Floats) -> tuple[Floats, Floats]:
    return ELO * scale_of(nu) / np.exp(2.0 * log), ELO * scale_of(nu) / ADVANTAGE**2


def pull_of(at: At, h: Floats, precision: Floats) -> Floats:
    """(R, n + 2) the derivatives of the fits by log σ."""
    pull = np.concatenate([2.0 * precision[:, None] * at[0], np.zeros((len(h), 2))], axis=1)
    pulled: Floats = np.linalg.solve(h, pull[:, :, None])[:, :, 0]
    return pulled


def rate(ladders: Ladders) -> Rated:
    """The estimates of all ladders."""
    raw, n, runs = ladders.counts, ladders.players, len(ladders.counts)
    drawn, games = raw[:, :, [1, 4]].sum(axis=(1, 2)), raw.sum(axis=(1, 2))
    nu = np.where(drawn > 0.0, 2.0 * (drawn + DRAWS) / (games - drawn + DRAWS), 0.0)
    at: At = (np.zeros((runs, n)), np.zeros(runs), nu)
    new, log, variance = raw, np.full(runs, FIRST.log), np.full(runs, FIRST.variance)
    for _ in range(ROUNDS):
        prior = prior_of(log, at[2])
        at = fit(ladders, new, at, prior)
        log, variance = learn(ladders, new, at, prior)
        new = worth(raw, ladders.moments, *expectations(ladders, at))
    prior = prior_of(log, at[2])
    at = fit(ladders, new, at, prior)
    return summary(ladders, new, at, prior, variance)


def learn(ladders: Ladders, new: Floats, at: At, prior: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    n = ladders.players
    h = curvature(ladders, new, at, prior)[1]
    after = curvature(ladders, new, moved(at, STEP * pull_of(at, h, prior[0])), prior)[1]
    tilt = -0.5 * (np.linalg.slogdet(after)[1] - np.linalg.slogdet(h)[1]) / STEP
    border = h[:, :n, n:]
    own = h[:, :n, :n] - prior[0][:, None, None] * np.eye(n)
    known, axes = np.linalg.eigh(own - border @ np.linalg.solve(h[:, n:, n:], border.transpose(0, 2, 1)))
    turned = (axes.transpose(0, 2, 1) @ at[0][:, :, None])[:, :, 0]
    return posterior(np.maximum(known, 0.0), turned, prior[0], np.sqrt(ELO * scale_of(at[2])), tilt)


def summary(ladders: Ladders, new: Floats, at: At, prior: tuple[Floats, Floats], of_spread: Floats) -> Rated:
    (theta, eta, nu), n = at, ladders.players
    h = curvature(ladders, new, at, prior)[1]
    u = pull_of(at, h, prior[0]) * np.sqrt(of_spread)[:, None]
    h[:, :n, :n] += (np.trace(h, axis1=1, axis2=2) / n / n)[:, None, None]
    own = np.linalg.inv(h)
    v = own + u[:, :, None] * u[:, None, :]
    rate_, centre = nu / (2.0 + nu), np.eye(n) - 1.0 / n
    around_mean = np.diagonal(centre @ own[:, :n, :n] @ centre, axis1=1, axis2=2)
    share = np.minimum(prior[0][:, None] * around_mean / (1.0 - 1.0 / n), 1.0)
    of_draws = (rate_**2 * own[:, n + 1, n + 1])[:, None]
    freedom = FREEDOM + 2.0 / np.maximum(
        4.0 * share**2 * of_spread[:, None] + (1.0 - share) ** 2 * of_draws, 1e-12)
    s = scale_of(nu)
    distance = theta @ centre
    stretch = -s[:, None] * rate_[:, None] * distance
    tie = np.where(nu[:, None] > 0.0, v[:, :n, n + 1], 0.0) @ centre
    log_nu = np.where(nu > 0.0, v[:, n + 1, n + 1], 0.0)
    cross = s[:, None, None] * tie[:, :, None] * stretch[:, None, :]
    matrix = (s[:, None, None] ** 2 * (centre @ v[:, :n, :n] @ centre) + cross + cross.transpose(0, 2, 1)
              + log_nu[:, None, None] * stretch[:, :, None] * stretch[:, None, :])
    variance = np.diagonal(matrix, axis1=1, axis2=2)
    even = np.zeros(len(eta))
    for first, (mean, _) in zip((0, 3), expectations(ladders, (theta, eta, 0.0 * nu)), strict=True):
        even += (new[:, :, first:first + 3].sum(axis=2) * np.sqrt(1.0 - 4.0 * mean**2)).sum(axis=1)
    return Rated(s[:, None] * distance, quantile(freedom) * np.sqrt(variance), variance, matrix, s * eta,
                 s**2 * v[:, n, n], s, (rate_, log_nu, even))


def known(ladders: Ladders, theta: Floats, eta: Floats, nu: float, spreads: Floats) -> Floats:
    """(R, n) the variances for someone who knows all parameters, so needs only the games' information about ratings."""
    runs, share = len(spreads), 2.0 / (2.0 + nu)
    prior = prior_of(np.log(spreads / share**0.5), np.full(runs, nu))
    at = (theta, eta, np.full(runs, nu))
    return summary(ladders, ladders.counts, at, prior, np.zeros(runs)).variance
