"""Compare the speed of the native engine with that of OpenSpiel in one run (docs/reference/benchmarks.md).

    PYTHON tests/bench/native.py [--seconds 2]

PYTHON is one that has the native engine and, for the comparison, `open_spiel` (requirements/env.txt). Playouts are
random games from the empty board. Each turn is a legal turn, played by the rules, and the game ends with the turn that
decides it. In games of one stone a turn, all legal turns are equally likely, as in OpenSpiel; Scware's are chosen as by
`random_turn`. OpenSpiel's loop in C++ is its RandomRolloutEvaluator, which MCTSBot calls for its root: one
`mcts_search` with one simulation is nothing but these playouts.

From Python, a game is played step by step: one call returns the legal steps, one plays a random one. All seconds are
CPU time of this process. Both sides of a ratio are measured alternately, and the median of three rounds counts.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engines.native import module
from tests.bench.common import options_of
from tests.bench.native_go import go_playouts

ROUNDS = 3


class Row(NamedTuple):
    """A ruleset and size, OpenSpiel's name of the game, the least ratio, and the least playouts per second.

    SquareSquared differs from OpenSpiel's Go: tests/bench/native_go.py compares the same game.
    """

    slug: str
    size: int
    spiel: str = ""
    ratio: float = 0
    playouts: int = 0


ROWS = (
    Row("square-grid-hex", 11, "hex(board_size=11)", ratio=20),
    Row("go", 9, "go(board_size=9)", ratio=10),
    Row("squaresquared", 9, "go(board_size=9)"),
    Row("scware", 10, playouts=60_000),
    Row("ooscg-w", 10, playouts=100_000),
    Row("squ", 10, playouts=100_000),
)


def rate(work: Callable[[int], int], seconds: float) -> float:
    """Return how much of `work(count)`, which returns what it did, is done in a second of CPU time."""
    count, spent, done = 1, 0.0, 0
    while spent < seconds:
        began = time.process_time()
        done = work(count)
        spent = time.process_time() - began
        count = max(count + 1, int(count * min(100, 1.2 * seconds / max(spent, 1e-6))))
    return done / spent


def native_playouts(row: Row) -> Callable[[int], int]:
    if row.slug == "go":
        return go_playouts(row.size)
    start = module().Position.start(row.slug, row.size)
    return lambda count: sum(start.playouts(count, count)[:3])


def spiel_playouts(row: Row) -> Callable[[int], int]:
    import pyspiel

    game = pyspiel.load_game(row.spiel)
    state = game.new_initial_state()

    def work(count: int) -> int:
        bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(count, count), 2.0, 1, 100, False, 1, False)
        bot.mcts_search(state)
        return count

    return work


def native_turns(row: Row) -> Callable[[int], int]:
    start, draw = module().Position.start(row.slug, row.size), Random(1).random

    def work(count: int) -> int:
        done = 0
        while done < count:
            position = start.copy()
            while not position.over:
                actions = position.actions()
                position.add(actions[int(draw() * len(actions))])
                done += 1
        return done

    return work


def spiel_turns(row: Row) -> Callable[[int], int]:
    import pyspiel

    game, draw = pyspiel.load_game(row.spiel), Random(1).random

    def work(count: int) -> int:
        done = 0
        while done < count:
            state: Any = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(draw() * len(actions))])
                done += 1
        return done

    return work


def measured(*works: Callable[[int], int], seconds: float) -> list[float]:
    """Return the median rate of each work, measured alternately."""
    rounds = [[rate(work, seconds) for work in works] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def report(what: str, unit: str, ours: float, theirs: float | None, limit: str, *, kept: bool) -> None:
    ratio = f"{theirs:12,.0f} {ours / theirs:7.1f}×" if theirs else f"{'':12} {'':8}"
    print(f"{what:32} {ours:12,.0f} {ratio} {unit:12} {limit}{'' if kept else '  MISSED'}", flush=True)


def main() -> None:
    """Measure and print the table."""
    seconds = options_of(__doc__, seconds=(2.0, "CPU time of each measurement")).seconds
    try:
        import pyspiel
    except ImportError:
        print("open_spiel is not installed: only our side is measured")
        pyspiel = None
    print(f"{'':32} {'native':>12} {'OpenSpiel':>12} {'ratio':>8} {'per second':12} limit")
    for row in ROWS:
        compared = bool(row.spiel and pyspiel)
        ours, *theirs = measured(native_playouts(row), *([spiel_playouts(row)] if compared else []), seconds=seconds)
        limit = f"≥ {row.ratio:g}×" if row.ratio else f"≥ {row.playouts:,}" if row.playouts else ""
        kept = (not theirs or ours >= row.ratio * theirs[0]) and ours >= row.playouts
        report(f"{row.slug} {row.size}, C++ loop", "playouts", ours, theirs[0] if theirs else None, limit, kept=kept)
    for row in ROWS:
        if row.slug == "go":
            continue  # the extension has no Go
        compared = bool(row.spiel and pyspiel)
        ours, *theirs = measured(native_turns(row), *([spiel_turns(row)] if compared else []), seconds=seconds / 2)
        limit = "> 1×" if compared else ""
        report(f"{row.slug} {row.size}, from Python", "actions", ours, theirs[0] if theirs else None, limit,
               kept=not theirs or ours > theirs[0])


if __name__ == "__main__":
    main()
