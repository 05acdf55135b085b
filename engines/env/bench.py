"""`python -m squarefield.env.bench`: steps per second of each ruleset, and of other libraries that are installed.

A step is one random legal action in each game of a batch, with the new observations, masks and rewards, and with the
draw of the action. Everything runs on one core and is measured in seconds of its time; of several measurements, the
best counts, because other programs can only make them worse.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from engines.env import others
from engines.env.batch import Backend, BatchEnv
from engines.env.native_games import serves
from engines.rules.registry import RULESETS

# The boards on which the targets of docs/reference/environments.md are stated.
SIZES: Final = {"square-grid-hex": 11, "squaresquared": 9}
# Steps of every game in one call; and the number of measurements.
_BLOCK: Final = 10
_REPEATS: Final = 5


class Row(NamedTuple):
    """Steps per second of one ruleset."""

    name: str
    ruleset: str
    rate: float


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables. Returns 0."""
    parser = argparse.ArgumentParser(prog="python -m squarefield.env.bench",
                                     description="Measure steps per second on one core, with observation and mask.")
    parser.add_argument("--games", type=int, default=64, metavar="N", help="games in a batch (default: 64)")
    parser.add_argument("--seconds", type=float, default=0.4, metavar="S",
                        help="seconds of each measurement (default: 0.4)")
    parser.add_argument("--only-ours", action="store_true", help="leave out pgx, PettingZoo and OpenSpiel")
    asked = parser.parse_args(argv)
    if asked.games < 1 or asked.seconds <= 0:
        parser.error("--games must be at least 1, and --seconds more than 0")
    _one_core()
    rows = _ours(asked.games, asked.seconds)
    if not asked.only_ours:
        _compare({row.ruleset: row for row in rows}, asked.games, asked.seconds)
    return 0


def _one_core() -> None:
    """Use one core, also in the threads of libraries that are imported later. Only Linux can be asked."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _ours(games: int, seconds: float) -> list[Row]:
    """Print our table. Returns the fastest backend of each ruleset."""
    print(f"{'ruleset':<18}{'size':>5}{'python':>13}{'native':>13}{'ratio':>9}  steps/s, {games} games")
    best = []
    for slug, ruleset in RULESETS.items():
        size = SIZES.get(slug, ruleset.default_size)
        python = rate(_batch(slug, size, min(games, 16), "python"), seconds / 2)
        native = rate(_batch(slug, size, games, "native"), seconds) if serves(slug) else 0
        print(f"{slug:<18}{size:>5}{python:>13,.0f}" + (
            f"{native:>13,.0f}{native / python:>8,.0f}×" if native else f"{'–':>13}"), flush=True)
        best.append(Row(f"{slug} {size}", slug, native or python))
    return best


def _compare(ours: dict[str, Row], games: int, seconds: float) -> None:
    """Print the table of the other libraries."""
    print(f"\n{'other library':<38}{'steps/s':>13}   ours is faster by")
    for name, slug, make in others.LIBRARIES:
        try:
            play = make(games)
        except ImportError as error:
            print(f"{name:<38}{'–':>13}   ({error.name or error} is not installed)")
            continue
        measured = rate(play, seconds)
        print(f"{name:<38}{measured:>13,.0f}   {ours[slug].rate / measured:,.1f}× ({ours[slug].name})", flush=True)


def _batch(slug: str, size: int, games: int, backend: Backend) -> Callable[[], int]:
    env = BatchEnv(slug, size, games, backend=backend)

    def play() -> int:
        for _ in range(_BLOCK):
            env.step(env.sample())
        return _BLOCK * games

    return play


def rate(play: Callable[[], int], seconds: float) -> float:
    """Return the best rate of several measurements of a function that plays and returns its number of steps."""
    play()
    best = 0.0
    for _ in range(_REPEATS):
        steps, start = 0, time.process_time()
        while (spent := time.process_time() - start) < seconds:
            steps += play()
        best = max(best, steps / spent)
    return best


if __name__ == "__main__":
    sys.exit(main())
