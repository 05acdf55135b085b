"""Precision events, simulated: coverage of intervals, errors of verdicts, and games against a round-robin.

    python -m tests.bench.precision [--events 2000] [--only NAME ...]

Each line is one field and target. Thousands of events are fitted at once with the same model, covariance, targets
and batches as the product's (`ratings.precision`), by dense algebra instead of the product's sparse solver. Games are
independent, given the strengths.

Columns: events; share that met the target before the cap; coverage of the shown intervals over all bots and events;
wrong verdicts among all events (first places only: an order is wrong if it separates equals or reverses two bots); mean
games; the factor by which a round-robin plays more. For ratings, it is a round-robin with an equal mean
interval, and in
the last column with an equal largest interval; for first places, one that stops by the same rule.
"""

import argparse
import math
import time
from dataclasses import dataclass
from functools import cache

import numpy as np

from ratings.fit.davidson import ELO, PRIOR
from ratings.fit.pairs import Floats, Ints
from ratings.precision import batches, state, targets
from tournaments.formats.precision.state import limit_for
from tournaments.pairing.round_robin import round_robin

_BATCH = {8: 2000, 16: 1000, 64: 125}
_PRECISION = (ELO / PRIOR) ** 2
# Results of a match's two games for the lower entrant: halves of wins less losses, first seat lower, then higher.
_RESULTS = [(one, other) for one in (0.5, 0.0, -0.5) for other in (0.5, 0.0, -0.5)]


@dataclass(frozen=True, eq=False)
class Field:
    """True Elo, first-move advantage in Elo, draw parameter; the target and the cap of matches."""

    name: str
    elo: Floats
    kind: str
    value: float
    cap: int
    nu: float = 0.5
    eta: float = 30.0

    @property
    def theta(self) -> Floats:
        return (self.elo - self.elo.mean()) / self.scale

    @property
    def scale(self) -> float:
        return ELO * 2.0 / (2.0 + self.nu)


def steps(n: int, step: float) -> Floats:
    return -step * np.arange(n, dtype=np.float64)


def clusters(n: int, gap: float, step: float) -> Floats:
    half = n // 2
    return np.concatenate([steps(half, step), -gap - step * (half - 1) + steps(n - half, step)])


FIELDS = [
    Field("equal 8, ratings ±50", np.zeros(8), targets.RATINGS, 50, 3000),
    Field("steps 8, ratings ±50", steps(8, 100), targets.RATINGS, 50, 5000),
    Field("equal 16, ratings ±60", np.zeros(16), targets.RATINGS, 60, 5000),
    Field("steps 16, ratings ±60", steps(16, 80), targets.RATINGS, 60, 8000),
    Field("clusters 16, ratings ±60", clusters(16, 500, 30), targets.RATINGS, 60, 8000),
    Field("draws 16, ratings ±40", steps(16, 50), targets.RATINGS, 40, 8000, nu=6.0),
    Field("steps 64, ratings ±90", steps(64, 20), targets.RATINGS, 90, 20000),
    Field("equal 8, first 3", np.zeros(8), targets.FIRST, 3, 2000),
    Field("two equal 8, first 1", np.array([0, 0, -150, -200, -250, -300, -350, -400.0]), targets.FIRST, 1, 3000),
    Field("steps 8, first 3", steps(8, 80), targets.FIRST, 3, 5000),
    Field("steps 16, first 3", steps(16, 60), targets.FIRST, 3, 8000),
    Field("clusters 16, first 3", clusters(16, 300, 60), targets.FIRST, 3, 8000),
    Field("draws 16, first 3", steps(16, 60), targets.FIRST, 3, 8000, nu=6.0),
    Field("steps 64, first 3", steps(64, 40), targets.FIRST, 3, 20000),
]


def probabilities(x: Floats, nu: float) -> Floats:
    """(m, 3) win, draw, loss of the side that moves first."""
    win, loss = np.exp(x / 2), np.exp(-x / 2)
    return np.stack([win, np.full_like(x, nu), loss], -1) / (win + nu + loss)[:, None]


def outcomes(field: Field) -> Floats:
    """(m, 9) probabilities of a match's results."""
    low, high = batches.pairs_of(len(field.elo))
    d, eta = field.theta[low] - field.theta[high], field.eta / field.scale
    one, two = probabilities(d + eta, field.nu), probabilities(-d + eta, field.nu)[:, ::-1]
    return (one[:, :, None] * two[:, None, :]).reshape(-1, 9)


class Fits:
    """The fits of many events at once: θ, η, log ν, and the covariance in Elo."""

    def __init__(self, counts: Floats, at: Floats) -> None:
        self.n = at.shape[1] - 2
        self.low, self.high = batches.pairs_of(self.n)
        self.counts, self.matches = counts, counts.sum(-1)
        first = np.array([a for a, _ in _RESULTS])
        second = np.array([b for _, b in _RESULTS])
        drawn = np.array([(a == 0) + 0.0 + (b == 0) for a, b in _RESULTS])
        self.y, self.s, self.d = counts @ (first + second), counts @ (first - second), counts @ drawn
        self.products = [counts @ (a * b) for a, b in (
            (first + second, first + second), (first + second, first - second), (first + second, drawn),
            (first - second, first - second), (first - second, drawn), (drawn, drawn))]
        for _ in range(30):
            gradient, hessian = self._derivatives(at)
            step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
            step *= np.minimum(1.0, 2.0 / np.abs(step).max(-1, keepdims=True))
            at = at + step
            if np.abs(step).max() < 1e-7:
                break
        self.at = at

    def _expected(self, at: Floats) -> tuple[Floats, ...]:
        d = at[:, self.low] - at[:, self.high]
        eta, nu = at[:, -2, None], np.exp(at[:, -1, None])
        found = []
        for sign in (1.0, -1.0):
            x = sign * d + eta
            up, down = np.exp(x / 2), np.exp(-x / 2)
            z = up + down + nu
            found += [(up - down) / z / 2, nu / z]
        return tuple(found)

    def _derivatives(self, at: Floats) -> tuple[Floats, Floats]:
        n, m = self.n, self.matches
        mean, draw, other, level = self._expected(at)
        a = self.y - m * (mean - other)
        e = (self.s - m * (mean + other)).sum(-1)
        t = (self.d - m * (draw + level)).sum(-1)
        g = np.zeros_like(at)
        g[:, :n] = self._onto(a)
        g[:, n], g[:, n + 1] = e, t
        v1, v2 = (1 - draw) / 4 - mean**2, (1 - level) / 4 - other**2
        h = self._matrix(m * (v1 + v2), m * (v1 - v2), -m * (draw * mean - level * other), m * (v1 + v2),
                         -m * (draw * mean + level * other), m * (draw - draw**2 + level - level**2))
        h[:, np.arange(n + 2), np.arange(n + 2)] += _PRECISION
        return g - _PRECISION * at, h

    def _onto(self, pairs: Floats) -> Floats:
        """(B, n) sums over pairs, minus those in which the entrant is the higher."""
        square = np.zeros((len(pairs), self.n, self.n))
        square[:, self.low, self.high] = pairs
        return square.sum(2) - square.sum(1)

    def _matrix(self, aa: Floats, ae: Floats, at: Floats, ee: Floats, et: Floats, tt: Floats) -> Floats:
        n = self.n
        h = np.zeros((len(aa), n + 2, n + 2))
        h[:, self.low, self.high] = -aa
        h[:, self.high, self.low] = -aa
        h[:, np.arange(n), np.arange(n)] = -h[:, :n, :n].sum(-1)
        for column, pairs in ((n, ae), (n + 1, at)):
            h[:, :n, column] = h[:, column, :n] = self._onto(pairs)
        h[:, n, n], h[:, n + 1, n + 1] = ee.sum(-1), tt.sum(-1)
        h[:, n, n + 1] = h[:, n + 1, n] = et.sum(-1)
        return h

    def covariance(self) -> tuple[Floats, Floats, Floats, Floats]:
        """(B, n) Elo, (B, n, n) Elo², the same with the scale fixed, and (B, m) information."""
        n, m = self.n, self.matches
        mean, draw, other, level = self._expected(self.at)
        pa, pe, pt = mean - other, mean + other, draw + level
        yy, ys, yd, ss, sd, dd = self.products
        y, s, d = self.y, self.s, self.d
        middle = self._matrix(
            yy - 2 * pa * y + m * pa**2, ys - pa * s - pe * y + m * pa * pe, yd - pa * d - pt * y + m * pa * pt,
            ss - 2 * pe * s + m * pe**2, sd - pe * d - pt * s + m * pe * pt, dd - 2 * pt * d + m * pt**2)
        _, h = self._derivatives(self.at)
        inverse = np.linalg.inv(h)
        v = inverse @ middle @ inverse
        theta = self.at[:, :n] - self.at[:, :n].mean(-1, keepdims=True)
        nu = np.exp(self.at[:, -1])
        scale = ELO * 2 / (2 + nu)
        centre = np.eye(n) - 1.0 / n
        j = np.zeros((len(v), n, n + 2))
        j[:, :, :n] = centre * scale[:, None, None]
        j[:, :, n + 1] = -(scale * nu / (2 + nu))[:, None] * theta
        clusters_ = m.sum(-1)
        small = clusters_ / np.maximum(clusters_ - n - 1, clusters_ / 4)
        elo = j @ v @ np.swapaxes(j, 1, 2) * small[:, None, None]
        j[:, :, n + 1] = 0.0
        core = j @ v @ np.swapaxes(j, 1, 2) * small[:, None, None]
        return theta * scale[:, None], elo, core, state.information(theta, self.at[:, -2], nu)


@dataclass
class Tally:
    events: int = 0
    met: int = 0
    wrong: int = 0
    covered: float = 0.0
    games: float = 0.0
    robin: float = 0.0
    largest: float = 0.0


def simulate(field: Field, events: int, seed: int, *, even: bool = False) -> Tally:
    tally, rng = Tally(), np.random.default_rng(seed)
    while tally.events < events:
        _simulate(field, min(_BATCH[len(field.elo)], events - tally.events), rng, tally, even=even)
    return tally


def _first(n: int) -> Ints:
    low, high = batches.pairs_of(n)
    index = {pair: k for k, pair in enumerate(zip(low.tolist(), high.tolist(), strict=True))}
    counts = np.zeros(len(low), dtype=np.int64)
    rounds = [pairs for cycle in range(1 + batches.OPENING_ROUNDS // (n - 1)) for pairs in round_robin(n)]
    for pairs in rounds[:batches.OPENING_ROUNDS]:
        for a, b in pairs:
            counts[index[min(a, b), max(a, b)]] += 1
    return counts


def _simulate(field: Field, size: int, rng: np.random.Generator, tally: Tally, *, even: bool) -> None:
    n, chances = len(field.elo), outcomes(field)
    m = len(chances)
    first = _first(n)
    limit = limit_for(int(first.sum()), field.cap)
    add = np.broadcast_to(first, (size, m))
    counts = np.zeros((size, m, 9))
    at = np.zeros((size, n + 2))
    at[:, -1] = math.log(0.5)
    while len(counts):
        rows = np.nonzero(add)
        counts[rows] += rng.multinomial(add[rows], chances[rows[1]])
        fits = Fits(counts, at)
        ratings, covariance, core, information = fits.covariance()
        at = fits.at
        made = counts.sum((1, 2))
        short = targets.shortfall(field.kind, field.value, ratings, covariance, limit)
        over = (short <= 1.0) | (made >= field.cap)
        _judge(field, tally, over, short, ratings, covariance, made)
        goes = ~over
        counts, at, made = counts[goes], at[goes], made[goes]
        if not len(counts):
            return
        ratings, core, information = ratings[goes], core[goes], information[goes]
        sizes = np.minimum(np.ceil((batches.GROWTH - 1.0) * made), field.cap - made)
        c = targets.criterion(field.kind, field.value, ratings, core, limit)
        gain = batches.gains(core, c, information)
        expected = batches.expected(np.ones_like(gain) if even else gain, np.ones_like(gain), sizes)
        add = batches.sampled(expected, rng.random(len(counts)))


@cache
def _round_robin(field: Field) -> Floats:
    """(n, n) the covariance in Elo² per cycle, from the true strengths."""
    at = np.concatenate([field.theta, [field.eta / field.scale, math.log(field.nu)]])
    covariance: Floats = 1e4 * Fits(1e4 * outcomes(field)[None], at[None]).covariance()[1][0]
    return covariance


def _judge(field: Field, tally: Tally, over: Floats, short: Floats, ratings: Floats, covariance: Floats,
           made: Floats) -> None:
    truth = field.elo - field.elo.mean()
    half = targets.half_widths(field.kind, covariance)
    met = over & (short <= 1.0)
    tally.events += int(over.sum())
    tally.met += int(met.sum())
    tally.covered += float((np.abs(ratings - truth) <= half)[over].mean(-1).sum())
    tally.games += 2.0 * float(made[over].sum())
    se = (half / targets.width(field.kind)).mean(-1)[over]
    if field.kind == targets.FIRST:
        claims = targets.boundaries(ratings, int(field.value))
        wrong = (claims & (truth[:, None] <= truth[None, :])).any((1, 2))
        tally.wrong += int((met & wrong).sum())
    one = _round_robin(field)
    cycles = (np.sqrt(np.diagonal(one)).mean() / se) ** 2
    tally.robin += float(cycles.sum()) * len(field.elo) * (len(field.elo) - 1)
    largest = (np.sqrt(np.diagonal(one)).max() / (half / targets.width(field.kind)).max(-1)[over]) ** 2
    tally.largest += float(largest.sum()) * len(field.elo) * (len(field.elo) - 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--robins", type=int, default=500, help="events of the round-robin that stops by the same rule")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    print(f"{'field':28} events    met  cover  wrong     games  fewer  largest")
    for field in FIELDS:
        if options.only and not any(word in field.name for word in options.only):
            continue
        began = time.process_time()
        t = simulate(field, options.events, seed=1)
        fewer, largest = t.robin / t.games, f"{t.largest / t.games:6.2f}"
        if field.kind == targets.FIRST:
            r = simulate(field, min(options.robins, options.events), seed=2, even=True)
            fewer, largest = r.games / r.events / (t.games / t.events), "      "
        wrong = f"{100 * t.wrong / t.events:5.1f}%" if field.kind == targets.FIRST else "      "
        print(f"{field.name:28} {t.events:6} {100 * t.met / t.events:5.1f}% {100 * t.covered / t.events:5.1f}% {wrong} "
              f"{t.games / t.events:9.0f} {fewer:6.2f} {largest}   {time.process_time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
