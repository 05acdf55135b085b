"""Many small ladders at once: the official table's arithmetic with dense matrices, for simulations.

The product estimates one ladder at a time, which takes some milliseconds even for two players. Here the same formulas
run over a leading axis of ladders that share their pairs. Repeats and spreads are computed by the product's functions.
`tests/ratings/test_coverage.py` compares the results with those of the product.
"""

import math
from dataclasses import dataclass

import numpy as np

from ratings.fit.davidson import ELO
from ratings.fit.estimate import ADVANTAGE, DRAWS, ROUNDS
from ratings.fit.pairs import Floats
from ratings.fit.repeats import worth
from ratings.fit.spread import FIRST, posterior

STEPS = 60
H = 0.05


@dataclass
class Ladders:
    """R ladders of n players whose m pairs are `low` and `high`: (R, m, 6) counts, (R, m, 21) moments."""

    players: int
    low: np.ndarray
    high: np.ndarray
    counts: Floats
    moments: Floats


@dataclass
class Rated:
    """(R, n) ratings around their mean in Elo and their variances; η and its variance; log ν, its variance, ν."""

    rating: Floats
    variance: Floats
    matrix: Floats
    eta: Floats
    eta_variance: Floats
    nu: Floats
    log_nu_variance: Floats
    theta: Floats
    scale: Floats
    new: Floats
    spread: Floats
    share: Floats
    spread_variance: Floats


def scale_of(nu: Floats) -> Floats:
    return ELO * 2.0 / (2.0 + nu)


def expectations(ladders: Ladders, theta: Floats, eta: Floats, nu: Floats) -> list[tuple[Floats, Floats]]:
    d = theta[:, ladders.low] - theta[:, ladders.high]
    sides = []
    for x in (d + eta[:, None], eta[:, None] - d):
        win, loss = np.exp(x / 2.0), np.exp(-x / 2.0)
        z = win + loss + nu[:, None]
        sides.append((0.5 * (win - loss) / z, nu[:, None] / z))
    return sides


def curvature(ladders: Ladders, counts: Floats, at: tuple, precision: Floats) -> tuple[Floats, Floats]:
    """(R, n + 2) gradients and (R, n + 2, n + 2) negative Hessians of the log posterior."""
    theta, eta, nu = at
    n, drawn_any = ladders.players, counts[:, :, [1, 4]].sum(axis=(1, 2)) > 0.0
    g, h = np.zeros((len(eta), n + 2)), np.zeros((len(eta), n + 2, n + 2))
    step = np.zeros((len(ladders.low), n))
    step[np.arange(len(step)), ladders.low], step[np.arange(len(step)), ladders.high] = 1.0, -1.0
    outer = (step[:, :, None] * step[:, None, :]).reshape(len(step), n * n)
    weights = np.zeros(counts.shape[:2])
    for sign, first, (mean, draw) in zip((1.0, -1.0), (0, 3), expectations(ladders, theta, eta, nu), strict=True):
        c = counts[:, :, first:first + 3]
        games = c.sum(axis=2)
        slope = 0.5 * (c[:, :, 0] - c[:, :, 2]) - games * mean
        weight, tie = games * (0.25 * (1.0 - draw) - mean**2), games * draw * mean
        weights += weight
        g[:, :n] += sign * slope @ step
        g[:, n] += slope.sum(axis=1)
        g[:, n + 1] += (c[:, :, 1] - games * draw).sum(axis=1)
        h[:, :n, n] += sign * weight @ step
        h[:, :n, n + 1] -= sign * tie @ step
        h[:, n, n] += weight.sum(axis=1)
        h[:, n, n + 1] -= tie.sum(axis=1)
        h[:, n + 1, n + 1] += (games * draw * (1.0 - draw)).sum(axis=1)
    h[:, :n, :n] = (weights @ outer).reshape(-1, n, n) + precision[:, None, None] * np.eye(n)
    advantage = (scale_of(nu) / ADVANTAGE) ** 2 if ladders_prior_nu is None else ladders_prior_nu
    g[:, :n] -= precision[:, None] * theta
    g[:, n] -= advantage * eta
    h[:, n, n] += advantage
    rate = nu / (2.0 + nu)
    g[:, n + 1] += DRAWS * (1.0 - 2.0 * rate)
    h[:, n + 1, n + 1] += 2.0 * DRAWS * rate * (1.0 - rate)
    g[:, n + 1] *= drawn_any
    h[:, :, n + 1] *= drawn_any[:, None]
    h[:, n + 1, n + 1] += ~drawn_any
    h[:, n:, :n] = h[:, :n, n:].transpose(0, 2, 1)
    h[:, n + 1, n] = h[:, n, n + 1]
    return g, h


ladders_prior_nu: Floats | None = None


def fit(ladders: Ladders, counts: Floats, start: tuple, precision: Floats, advantage: Floats) -> tuple:
    global ladders_prior_nu
    ladders_prior_nu = advantage
    theta, eta, nu = start
    for _ in range(STEPS):
        g, h = curvature(ladders, counts, (theta, eta, nu), precision)
        move = np.linalg.solve(h, g[:, :, None])[:, :, 0]
        size = np.abs(move).max(axis=1, keepdims=True)
        move *= np.minimum(1.0, 1.5 / np.maximum(size, 1e-12))
        theta, eta, nu = theta + move[:, :-2], eta + move[:, -2], nu * np.exp(move[:, -1])
        if size.max() < 1e-7:
            break
    return theta, eta, nu


def rate(ladders: Ladders) -> Rated:
    """The estimates of all ladders."""
    raw, n, runs = ladders.counts, ladders.players, len(ladders.counts)
    drawn, games = raw[:, :, [1, 4]].sum(axis=(1, 2)), raw.sum(axis=(1, 2))
    nu = np.where(drawn > 0.0, 2.0 * (drawn + DRAWS) / (games - drawn + DRAWS), 0.0)
    at, new = (np.zeros((runs, n)), np.zeros(runs), nu), raw
    log, spread_variance = np.full(runs, FIRST.log), np.full(runs, FIRST.variance)
    for last in [*[False] * ROUNDS, True]:
        scale = scale_of(at[2])
        precision, advantage = ELO * scale / np.exp(2*log), ELO * scale / ADVANTAGE ** 2
        at = fit(ladders, new, at, precision, advantage)
        g, h = curvature(ladders, new, at, precision)
        if last:
            break
        u = np.linalg.solve(h, np.concatenate([2.0 * precision[:, None] * at[0], np.zeros((runs, 2))], axis=1)[:, :, None])[:, :, 0]
        moved = (at[0] + H * u[:, :n], at[1] + H * u[:, n], at[2] * np.exp(H * u[:, n + 1]))
        tilt = -0.5 * (np.linalg.slogdet(curvature(ladders, new, moved, precision)[1])[1] - np.linalg.slogdet(h)[1]) / H
        own = h[:, :n, :n] - precision[:, None, None] * np.eye(n)
        border, corner = h[:, :n, n:], h[:, n:, n:]
        own -= border @ np.linalg.solve(corner, border.transpose(0, 2, 1))
        known, axes = np.linalg.eigh(own)
        turned = (axes.transpose(0, 2, 1) @ at[0][:, :, None])[:, :, 0]
        log, spread_variance = posterior(np.maximum(known, 0.0), turned, precision, np.sqrt(ELO * scale_of(at[2])), tilt)
        new = worth(raw, ladders.moments, *expectations(ladders, *at))
    return summary(at, h, precision, spread_variance, new, log)


def summary(at: tuple, h: Floats, precision: Floats, spread_variance: Floats, new: Floats, log: Floats) -> Rated:
    theta, eta, nu = at
    n = theta.shape[1]
    h = h.copy()
    pull = np.concatenate([2.0 * precision[:, None] * theta, np.zeros((len(theta), 2))], axis=1)
    u = np.linalg.solve(h, pull[:, :, None])[:, :, 0] * np.sqrt(spread_variance)[:, None]
    h[:, :n, :n] += (np.trace(h, axis1=1, axis2=2) / n / n)[:, None, None]
    own = np.linalg.inv(h)
    cc = np.eye(n) - 1.0 / n
    share = np.minimum(precision[:, None] * np.diagonal(cc @ own[:, :n, :n] @ cc, axis1=1, axis2=2) / (1.0 - 1.0 / n), 1.0)
    v = own + u[:, :, None] * u[:, None, :]
    centre = np.eye(n) - 1.0 / n
    s = scale_of(nu)
    distance = theta @ centre
    stretch = -s[:, None] * (nu / (2.0 + nu))[:, None] * distance
    tie = np.where(nu[:, None] > 0.0, v[:, :n, n + 1], 0.0) @ centre
    log_nu = np.where(nu > 0.0, v[:, n + 1, n + 1], 0.0)
    matrix = s[:, None, None] ** 2 * (centre @ v[:, :n, :n] @ centre)
    cross = s[:, None, None] * tie[:, :, None] * stretch[:, None, :]
    matrix = matrix + cross + cross.transpose(0, 2, 1) + log_nu[:, None, None] * stretch[:, :, None] * stretch[:, None, :]
    return Rated(s[:, None] * distance, np.diagonal(matrix, axis1=1, axis2=2), matrix, s * eta, s**2 * v[:, n, n], nu, log_nu,
                 theta, s, new, np.exp(log), share, spread_variance)
