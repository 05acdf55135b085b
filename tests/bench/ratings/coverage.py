"""Measure how often 95 % intervals of a ladder's table contain the true value, and what its other numbers are worth.

    nice python -m tests.bench.ratings.coverage [--intervals 2000] [--bots 2 3 …] [--only grid chances games errors]

Round-robins are simulated with known strengths and rated by `tests/bench/ratings/batch.py`, which has the product's
formulas for many ladders at once. In each ladder, the true spread is drawn (log-normal around 250 Elo, log σ ± 0.5, or
25 Elo where 95 % of games between equals are drawn), and the first-move advantage (normal, 100 Elo; 10). So the prior
is not the truth.

Each line has, for games from one opening (or none), four openings and a new one for every match, the coverage of
ratings, of the first-move advantage, and of the draw rate, and the median half width; `same` means that every game of a
pair from one opening with the same seats ends alike. For new openings, `ideal` is the width relative to that of someone
who knows the spread and the parameters of the model.
"""

import math
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from ratings import Z95, elo, glicko2
from ratings.chances import games_still_needed
from ratings.fit.pairs import TRIANGLE, Floats
from ratings.fit.student import beta_interval
from tests.bench.common import options_of
from tests.bench.ratings import batch

# By the draw rate between equals in per cent: ν, the median spread, and the deviation of the first-move advantage.
DRAWS = {0: (0.0, 250.0, 100.0), 50: (2.0, 177.0, 71.0), 95: (38.0, 25.0, 10.0)}
NEW = 10_000


def play(dice: np.random.Generator, runs: int, bots: int, games: int, openings: int, draws: int,
         *, same: bool = False, spread: float | None = None) -> tuple[batch.Ladders, Floats, Floats, Floats]:
    """Return ladders of `games` games per pair, and their true strengths, advantages and spreads in Elo."""
    nu, median, advantage = DRAWS[draws]
    scale = batch.scale_of(nu)
    spreads = np.full(runs, spread) if spread else median * np.exp(0.5 * dice.normal(size=runs))
    theta = dice.normal(size=(runs, bots)) * spreads[:, None] / scale
    eta = dice.normal(0.0, advantage, runs) / scale
    low, high = np.triu_indices(bots, 1)
    gap = theta[:, low] - theta[:, high]
    x = np.stack([gap + eta[:, None], eta[:, None] - gap], axis=2)
    win, loss = np.exp(x / 2.0), np.exp(-x / 2.0)
    limits = np.stack([win, win + nu], axis=-1) / (win + loss + nu)[..., None]
    matches, pairs = games // 2, len(low)
    shape = (runs, pairs, matches, 2)
    if openings >= matches:
        openings, which, throw = matches, np.broadcast_to(np.arange(matches), shape[:3]), dice.random(shape)
    else:
        which = dice.integers(0, openings, shape[:3])
        throw = dice.random(shape) if not same else np.take_along_axis(
            dice.random((runs, pairs, openings, 2)), np.broadcast_to(which[..., None], shape), axis=2)
    column = (throw[..., None] > limits[:, :, None]).sum(axis=-1) + np.array([0, 3])
    cell = (np.arange(runs * pairs).reshape(runs, pairs, 1, 1) * openings + which[..., None]) * 6 + column
    counts = np.bincount(cell.ravel(), minlength=runs * pairs * openings * 6).reshape(runs, pairs, openings, 6) * 1.0
    moments = np.stack([(counts[..., i] * counts[..., j]).sum(axis=2) for i, j in zip(*TRIANGLE, strict=True)], axis=-1)
    return batch.Ladders(bots, low, high, counts.sum(axis=2), moments), theta, eta, spreads


def truth_of(theta: Floats, draws: int) -> Floats:
    scaled: Floats = batch.scale_of(DRAWS[draws][0]) * (theta - theta.mean(axis=1, keepdims=True))
    return scaled


def cell_of(setting: tuple[int, int, int, int, bool], intervals: int) -> str:
    """Return the figures of one cell of the grid."""
    bots, games, draws, openings, same = setting
    nu, _, _ = DRAWS[draws]
    dice, runs = np.random.default_rng([bots, games, draws, openings, same]), max(-(-intervals // bots), 4)
    held, advantage, rate, widths, ideal = [], [], [], [], []
    for _ in range(0, runs, 500):
        ladders, theta, eta, spreads = play(dice, min(runs, 500), bots, games, openings, draws, same=same)
        rated = batch.rate(ladders)
        half = rated.half
        held.append(np.abs(rated.rating - truth_of(theta, draws)) <= half)
        advantage.append(np.abs(rated.eta - rated.scale * eta) <= Z95 * np.sqrt(rated.eta_variance))
        rate.append([low <= nu / (2.0 + nu) <= high for low, high in map(draw_rate, *rated.draws)])
        widths.append(np.median(half))
        if openings == NEW:
            ideal.append(np.median(half / (Z95 * np.sqrt(batch.known(ladders, theta, eta, nu, spreads)))))
    text = f"{np.mean(held):6.1%} {np.mean(advantage):4.0%} {np.mean(rate):4.0%} ±{np.mean(widths):3.0f}"
    return text + (f" ideal {np.mean(ideal):.2f}" if ideal else "")


def draw_rate(rate: float, variance: float, even: float) -> tuple[float, float]:
    """Return the interval of the draw rate between equals, as `ratings.official` has it."""
    if rate == 0.0:
        return 0.0, 1.0 - math.pow(0.025, 1.0 / even)
    games = 1.0 / (variance * rate * (1.0 - rate))
    return beta_interval(games * rate, games * (1.0 - rate))


def grid(intervals: int, bots: list[int]) -> None:
    kinds = [(1, False), (1, True), (4, False), (4, True), (NEW, False)]
    print("bots games draws | one opening | one, same | four | four, same | a new one per match")
    for n in bots:
        for games in (4, 20, 100):
            for draws in DRAWS:
                began = time.process_time()
                cells = [cell_of((n, games, draws, openings, same), intervals) for openings, same in kinds]
                spent = time.process_time() - began
                print(f"{n:4} {games:5} {draws:4}% | {' | '.join(cells)}   {spent:.1f} s", flush=True)


def chances(intervals: int) -> None:
    """Print, for neighbours in the table, the claimed probability that the upper one is stronger, and the true one."""
    print("spread: claimed, true, by claims of 0.5–0.6, … 0.9–1.0 (10 bots, 20 games per pair)")
    for spread in (20.0, 50.0, 200.0):
        dice = np.random.default_rng(int(spread))
        ladders, theta, _, _ = play(dice, max(intervals // 9, 20), 10, 20, NEW, 0, spread=spread)
        rated = batch.rate(ladders)
        order = np.argsort(-rated.rating, axis=1)
        upper, lower = order[:, :-1], order[:, 1:]
        rows = np.arange(len(order))[:, None]
        variance = (rated.variance[rows, upper] + rated.variance[rows, lower] - 2.0 * rated.matrix[rows, upper, lower])
        z = (rated.rating[rows, upper] - rated.rating[rows, lower]) / np.sqrt(variance)
        claimed = np.vectorize(lambda each: 0.5 * math.erfc(-each / math.sqrt(2.0)))(z).ravel()
        stronger = (theta[rows, upper] > theta[rows, lower]).ravel()
        bins = np.minimum(((claimed - 0.5) * 10).astype(int), 4)
        parts = [f"{claimed[bins == b].mean():.2f} {stronger[bins == b].mean():.2f} ({(bins == b).sum()})"
                 for b in range(5) if (bins == b).any()]
        print(f"{spread:4.0f}: {claimed.mean():.3f}, {stronger.mean():.3f}; {'; '.join(parts)}", flush=True)


def games_for_25(intervals: int) -> None:
    """Print how many games the half width of ±25 takes, relative to the number that the table says."""
    for bots, draws in ((2, 0), (5, 0), (10, 0), (10, 50)):
        dice = np.random.default_rng(bots)
        nu = DRAWS[draws][0]
        spread = 20.0
        ladders, _, _, _ = play(dice, 20, bots, 20, NEW, draws, spread=spread)
        half = float(np.median(batch.rate(ladders).half))
        said = games_still_needed(half / Z95, nu, 25.0, 1.0 - 1.0 / bots)
        per_pair = 20 + 2 * round(said / (bots - 1) / 2)
        after = float(np.median(batch.rate(play(dice, 20, bots, per_pair, NEW, draws, spread=spread)[0]).half))
        print(f"{bots} bots, {draws} % draws: from ±{half:.0f}, {said} games are said; after them ±{after:.1f}, so the "
              f"right number was {(after / 25.0) ** 2 * per_pair / (per_pair - 20) - 20 / (per_pair - 20):.2f} of it")


def errors(intervals: int) -> None:
    """Print the root mean square errors of ratings by games per bot: this fit, Elo and Glicko-2 on the same games."""
    bots, spread = 10, 200.0
    dice = np.random.default_rng(4)
    low, high = np.triu_indices(bots, 1)
    for per_bot in (5, 20, 100):
        runs = max(min(intervals // bots, 60), 20)
        theta = dice.normal(size=(runs, bots)) * spread / batch.ELO
        squares = np.zeros(3)
        counts = np.zeros((runs, len(low), 6))
        for run in range(runs):
            pair = dice.integers(0, len(low), per_bot * bots // 2)
            swap = dice.random(len(pair)) < 0.5
            first, second = np.where(swap, high[pair], low[pair]), np.where(swap, low[pair], high[pair])
            won = dice.random(len(pair)) < 1.0 / (1.0 + np.exp(theta[run, second] - theta[run, first]))
            np.add.at(counts[run], (pair, np.where(swap, 3, 0) + np.where(won, 0, 2)), 1.0)
            truth = batch.ELO * (theta[run] - theta[run].mean())
            standings: dict[int, elo.Standing] = {}
            players = [glicko2.Player() for _ in range(bots)]
            games = [(int(a), int(b), float(w)) for a, b, w in zip(first, second, won, strict=True)]
            for number, (a, b, score) in enumerate(games):
                standings |= elo.rate_period(standings, [elo.Result(number, (a, b), score)])[1]
            for start in range(0, len(games), 50):
                for place, player in glicko2.rate_period(players, iter(games[start:start + 50]), 0.5).items():
                    players[place] = player
            for which, rating in ((1, [standings.get(b, elo.Standing()).value for b in range(bots)]),
                                  (2, [player.rating for player in players])):
                squares[which] += np.mean((np.array(rating) - np.mean(rating) - truth) ** 2) / runs
        none = counts[:, :, :1] * 0.0
        moments = np.concatenate([none] * 21, axis=2)
        moments[:, :, [0, 6, 11, 15, 18, 20]] = counts
        rated = batch.rate(batch.Ladders(bots, low, high, counts, moments))
        squares[0] = np.mean((rated.rating - batch.ELO * (theta - theta.mean(axis=1, keepdims=True))) ** 2)
        print(f"{per_bot:3} games per bot: fit {squares[0]**0.5:.0f}, Elo {squares[1]**0.5:.0f}, Glicko-2 "
              f"{squares[2]**0.5:.0f}", flush=True)


def main() -> None:
    options = options_of(__doc__, intervals=(2000, "intervals of each figure"),
                         bots=([2, 3, 5, 10, 50], "bots of the grid"),
                         only=(["errors", "games", "chances", "grid"], "parts to measure"))
    parts = {"errors": errors, "games": games_for_25, "chances": chances,
             "grid": lambda intervals: grid(intervals, [int(n) for n in options.bots])}
    for name in options.only:
        parts[name](options.intervals)


if __name__ == "__main__":
    main()
