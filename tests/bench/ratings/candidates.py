"""Measure trials of eight candidates: the family-wise error, and the games compared with eight separate trials.

    python tests/bench/ratings/candidates.py [--runs 2000]

The selection is simulated turn by turn with the approximate log-likelihood ratio (Van den Bergh, section 4.2), and the
test with the exact one near a bound, as in `sprt.py`. Separate trials use the same bounds and the same most pairs. An
error is the promotion of a version worth elo0 or less. The limits are 5.5 % and 2.5 times fewer games. Games against
neighbours are left out; separate trials would play more of them.
"""

import math
import sys
from pathlib import Path

import numpy as np
from numpy.random import Generator

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from ratings.fit.constrained_fit import constrained_fit
from ratings.sprt import Bounds
from tests.bench.common import options_of
from tests.bench.ratings.sprt import ELO_PER_T, SHAPES, run
from tournaments.scoring.selection import select

BOUNDS, MOST_PAIRS = Bounds(0, 30), 400
# Strengths of the candidates, in parts of elo1.
TRUTHS = {
    "all equal to the current version": (0.0,) * 8,
    "one stronger": (1.0,) + (0.0,) * 7,
    "from weaker to stronger": (-1.0, -0.5, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0),
}
SCORE = np.arange(5) / 4


def main() -> int:
    options = options_of(__doc__, runs=(2000, "trials of each kind"))
    kept = True
    for number, (name, truths) in enumerate(TRUTHS.items()):
        rng = np.random.default_rng(number)
        seen = [share or 1e-9 for share in SHAPES["half of the games drawn"]]
        shares = [constrained_fit([share / sum(seen) for share in seen], truth * BOUNDS.elo1 * math.sqrt(2) / ELO_PER_T)
                  for truth in truths]
        done = [trial(rng, shares) for _ in range(options.runs)]
        separate = np.mean([sum(test(rng, share)[1] for share in shares) for _ in range(options.runs // 20)])
        wrong = sum(passed and truths[chosen] <= 0 for chosen, passed, _ in done) / len(done)
        best = sum(truths[chosen] == max(truths) for chosen, *_ in done) / len(done)
        ratio = separate / np.mean([pairs for *_, pairs in done])
        kept &= wrong <= 0.055 and ratio >= 2.5
        print(f"{name:34}{100 * wrong:5.1f} % wrong, {ratio:5.2f} times fewer games, best selected {100 * best:3.0f} %"
              f", promoted {100 * sum(passed for _, passed, _ in done) / len(done):4.1f} %", flush=True)
    print("kept" if kept else "NOT KEPT")
    return int(not kept)


def trial(rng: Generator, shares: list[list[float]]) -> tuple[int, bool, int]:
    """Return the selected candidate (-1 if all failed), whether it passed, and the pairs of all candidates."""
    inside, counts, turns, pairs = list(range(len(shares))), np.zeros((len(shares), 5)), 0, 0
    while len(inside) > 1:
        turns += 1
        pairs += len(inside)
        for each in inside:
            counts[each, np.searchsorted(np.cumsum(shares[each])[:4], rng.random())] += 1
        found = select(dict(zip(inside, ratios(counts[inside], turns), strict=True)), turns, BOUNDS)
        out = {*found.behind, *found.failed}
        inside = [each for each in inside if each not in out]
    if not inside:
        return -1, False, pairs
    passed, more = test(rng, shares[inside[0]])
    return inside[0], passed, pairs + more


def test(rng: Generator, shares: list[float]) -> tuple[bool, int]:
    passed, pairs = run(rng, shares, BOUNDS, exact=False)
    return passed and pairs <= MOST_PAIRS, min(pairs, MOST_PAIRS)


def ratios(counts: np.ndarray, turns: int) -> list[float]:
    """Return the approximate ratio of each row of counts."""
    centre = counts @ SCORE / turns
    t = (centre - 0.5) / np.sqrt(np.maximum(counts @ (SCORE * SCORE) / turns - centre * centre, 1e-3))
    t0, t1 = (elo * math.sqrt(2) / ELO_PER_T for elo in (BOUNDS.elo0, BOUNDS.elo1))
    return (turns / 2 * np.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))).tolist()


if __name__ == "__main__":
    sys.exit(main())
