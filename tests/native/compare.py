"""Compares the native engine with the Python rules along random games, step by step.

    python -m tests.native.compare --positions 10000000

A position is compared before every step, also within a turn of several stones: the steps that may follow and whether
the turn may end. After every turn, the stones, the seat to move and the outcome are compared. Some positions are set up
anew from Python's, and some random turns, mostly illegal, are judged by both.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from random import Random
from typing import Final

from engines.native import module
from engines.rules.registry import find
from tests.native.side_by_side import Difference, Game

# The share of each size in the positions of its ruleset: small boards are quick in Python, and their games are full of
# special cases. The sizes need 1, 2, 4 and 6 words; the default sizes are among them.
SHARES: Final = {
    "scware": {4: 60, 5: 30, 6: 6, 9: 2, 13: 1, 19: 1},
    "ooscg-w": {3: 50, 4: 30, 5: 12, 6: 4, 9: 2, 13: 1, 19: 1},
    "squ": {4: 50, 6: 20, 8: 20, 10: 8, 14: 1, 18: 1},
    "square-grid-hex": {3: 50, 4: 25, 5: 12, 8: 5, 11: 5, 13: 2, 19: 1},
    "squaresquared": {2: 20, 3: 50, 4: 22, 5: 5, 7: 1, 9: 1, 13: 0.5, 19: 0.5},
}


def compare(slug: str, size: int, positions: int, seed: int) -> int:
    """Compare at least this many positions of random games, and return their number. Raises Difference."""
    done, ruleset = 0, find(slug)
    for number in count():
        start = ruleset.start(size) if size in ruleset.sizes else ruleset.empty(size)
        game_seed = seed * 1_000_003 + number
        game = Game(start, module().Position.start(slug, size), Random(game_seed), game_seed, [])
        for compared in game.positions():
            done += compared
            if done >= positions:
                return done
    raise AssertionError


def portions(positions: int) -> Iterator[tuple[str, int, int]]:
    """Yield the ruleset, size and number of positions of each part of a run."""
    for slug, sizes in SHARES.items():
        for size, share in sizes.items():
            yield slug, size, int(positions / len(SHARES) * share / sum(sizes.values())) + 1


def _timed(part: tuple[str, int, int, int]) -> tuple[str, int, int, float]:
    slug, size, positions, seed = part
    began = time.process_time()
    return slug, size, compare(slug, size, positions, seed), time.process_time() - began


def main(arguments: Sequence[str]) -> int:
    """Compare in parallel, print one line for each ruleset and size, and return 1 after a difference."""
    parser = argparse.ArgumentParser(description="Compare the native engine with the Python rules along random games.")
    parser.add_argument("--positions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args(arguments)
    # Parts of at most 20,000 positions, so that all processes end at about the same time.
    parts = [(slug, size, min(20_000, whole - begun), asked.seed + begun)
             for slug, size, whole in portions(asked.positions) for begun in range(0, whole, 20_000)]
    totals: dict[tuple[str, int], tuple[int, float]] = {}
    with ProcessPoolExecutor(asked.processes) as pool:
        try:
            for slug, size, compared, seconds in pool.map(_timed, parts):
                before = totals.get((slug, size), (0, 0.0))
                totals[slug, size] = before[0] + compared, before[1] + seconds
        except Difference as difference:
            pool.shutdown(cancel_futures=True)
            print(difference, file=sys.stderr)
            return 1
    for (slug, size), (compared, seconds) in totals.items():
        print(f"{slug:16} {size:2} {compared:9,} positions {seconds:7.1f} s {1e6 * seconds / compared:7.1f} µs each")
    print(f"{sum(compared for compared, _ in totals.values()):,} positions are equal")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
