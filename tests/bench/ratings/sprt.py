"""Measure the error rates of the sequential test against its promised risks, and the number of pairs it takes.

    python tests/bench/ratings/sprt.py [--runs 2000] [--processes 2] [--trials]

Pairs are drawn from distributions worth exactly elo0 and exactly elo1, in several shapes; the test is evaluated after
each pair. The exact ratio is slow to compute, so after the first twenty pairs the published approximation
(Van den Bergh, "A practical introduction to normalized Elo", section 4.2) replaces it where that is not near a
bound; `--exact` always computes the exact one. The limit is 5.5 % where 5 % is promised.

`--trials` measures tests with a maximum number of pairs instead: how they end, next to what `ratings.power` predicts.
"""

import math
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from ratings.fit.constrained_fit import constrained_fit
from ratings.power import power
from ratings.sprt import Bounds, log_likelihood_ratio
from tests.bench.common import options_of

# The error rates may be this multiple of the promised ones: 5.5 % for 5 %.
LIMIT = 1.1
ELO_PER_T = 800 / math.log(10)
# The share of pairs that score 0, ½, 1, 1½ and 2 points between equal bots.
SHAPES = {
    "no draws": (0.25, 0.0, 0.5, 0.0, 0.25),
    "half of the games drawn": (0.0625, 0.25, 0.375, 0.25, 0.0625),
    "nearly all drawn": (0.0005, 0.06, 0.879, 0.06, 0.0005),
    "first seat wins nine of ten": (0.09, 0.0, 0.82, 0.0, 0.09),
    "openings decide": (0.02, 0.02, 0.92, 0.02, 0.02),
}
CASES = (Bounds(0, 10), Bounds(0, 30), Bounds(0, 100))
# The default of trials, and the default until 2026-11-28.
TRIALS = ((Bounds(0, 40), 500), (Bounds(0, 30), 400))
SURE_PAIRS = 20
# Maximal difference between the two ratios, for every normalized Elo between elo0 and elo1.
FAR = 0.01
CHUNK = 64


def main() -> int:
    options = options_of(__doc__, runs=(2000, "tests of each shape"), processes=(2, "processes"),
                         exact=(False, "compute the exact ratio after every pair (much slower)"),
                         trials=(False, "measure tests with a maximum number of pairs"))
    if options.trials:
        return trials(options.runs)
    began, kept = time.perf_counter(), True
    with ProcessPoolExecutor(options.processes) as pool:
        for bounds in CASES:
            for truth, promised in ((bounds.elo0, bounds.alpha), (bounds.elo1, bounds.beta)):
                ended = {shape: list(pool.map(runs, *zip(*(
                    (bounds, shape, truth, options.runs // options.processes, seed, options.exact)
                    for seed in range(options.processes)), strict=True))) for shape in SHAPES}
                kept &= report(bounds, truth, promised,
                               {shape: list(chain.from_iterable(done)) for shape, done in ended.items()})
    print(f"{'kept' if kept else 'NOT KEPT'}; {time.perf_counter() - began:.0f} s")
    return int(not kept)


def trials(count: int) -> int:
    """Print how tests with a maximum number of pairs end, over all shapes."""
    for bounds, most in TRIALS:
        for truth in (bounds.elo0, (bounds.elo0 + bounds.elo1) / 2, bounds.elo1):
            ends = [end for shape in SHAPES for end in runs(bounds, shape, truth, count, 0, False, most)]
            shares = [100 * sum(passed is verdict for passed, _ in ends) / len(ends) for verdict in (True, False, None)]
            expected = power(bounds, most, truth)
            print(f"{bounds.elo0:g} against {bounds.elo1:g}, at most {most} pairs, worth {truth:g}: "
                  f"{shares[0]:.1f} % passed, {shares[1]:.1f} % failed, {shares[2]:.1f} % inconclusive, "
                  f"{mean(pairs for _, pairs in ends):.0f} pairs; predicted {100 * expected.passed:.1f}, "
                  f"{100 * expected.failed:.1f}, {100 * expected.inconclusive:.1f}", flush=True)
    return 0


def report(bounds: Bounds, truth: float, promised: float, ended: dict[str, list[tuple[bool | None, int]]]) -> bool:
    """Print the error rates by shape and over all shapes; return whether the total is within the limit."""
    print(f"{bounds.elo0:g} against {bounds.elo1:g}, worth {truth:g}; {100 * promised:g} % promised")
    every = [end for ends in ended.values() for end in ends]
    for name, ends in (*ended.items(), ("all", every)):
        wrong = sum(passed == (truth == bounds.elo0) for passed, _ in ends) / len(ends)
        print(f"  {name:28}{100 * wrong:6.2f} % wrong, {mean(pairs for _, pairs in ends):7.0f} pairs", flush=True)
    return wrong <= LIMIT * promised


def runs(bounds: Bounds, shape: str, truth: float, count: int, seed: int,
         exact: bool, most: int = sys.maxsize) -> list[tuple[bool | None, int]]:
    """Return for each of `count` tests whether it was passed, None if it ended undecided, and after how many pairs."""
    rng = np.random.default_rng([seed, *f"{bounds} {shape} {truth}".encode()])
    seen = [share or 1e-9 for share in SHAPES[shape]]
    worth = constrained_fit([share / sum(seen) for share in seen], truth * math.sqrt(2) / ELO_PER_T)
    return [run(rng, worth, bounds, exact=exact, most=most) for _ in range(count)]


def run(rng: Generator, worth: Sequence[float], bounds: Bounds, *, exact: bool, most: int) -> tuple[bool | None, int]:
    """Run one test to its end."""
    before = np.zeros(5, dtype=np.int64)
    while True:
        counts = before + np.cumsum(rng.multinomial(1, worth, size=CHUNK), axis=0)
        asked = range(CHUNK) if exact else np.flatnonzero(may_be_the_end(counts, bounds))
        for place in asked:
            if counts[place].sum() > most:
                break
            ratio = log_likelihood_ratio(counts[place].tolist(), bounds)
            if not bounds.lower < ratio < bounds.upper:
                return ratio > 0, int(counts[place].sum())
        before = counts[-1]
        if before.sum() >= most:
            return None, most


def may_be_the_end(counts: NDArray[np.int64], bounds: Bounds) -> NDArray[np.bool_]:
    """Return the pairs after which the approximate ratio does not rule out that the exact one has reached a bound."""
    pairs = counts.sum(axis=1)
    score = np.arange(5) / 4
    centre = counts @ score / pairs
    variance = np.maximum(counts @ (score * score) / pairs - centre * centre, 1e-12)
    t = (centre - 0.5) / np.sqrt(variance)
    t0, t1 = (elo * math.sqrt(2) / ELO_PER_T for elo in (bounds.elo0, bounds.elo1))
    ratio = pairs / 2 * np.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))
    far = FAR * (bounds.elo1 - bounds.elo0)
    return (pairs <= SURE_PAIRS) | (ratio < bounds.lower + far) | (ratio > bounds.upper - far)


if __name__ == "__main__":
    sys.exit(main())
