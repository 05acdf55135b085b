"""Measure playouts and leaves of the search tree per millisecond of CPU time, in each ruleset.

    python tests/bench/bots/playouts.py                        every ruleset on its default size
    python tests/bench/bots/playouts.py --rulesets squ:10 --leaves 1000
    python tests/bench/bots/playouts.py --python            without the native engine

The positions are the first of a game and those a quarter and half of the way through random games, the same in every
run. A tree is grown from each; the time includes choosing turns, storing the tree and the rules' own work.
"""

import sys
import time
from pathlib import Path
from random import Random
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from engines import native
from engines.rules.registry import RULESETS, find
from engines.rules.ruleset import Position
from engines.search.estimate import estimator_for
from engines.search.judge import judge_for
from engines.search.tree import Tree
from tests.bench.common import options_of

GAMES: Final = 3
# Random games of SquareSquared are long.
MOST_PLIES: Final = 150


def positions_of(slug: str, size: int) -> list[Position]:
    """Return three positions from each of several random games."""
    rng, chosen = Random(5), []
    for _ in range(GAMES):
        game, position = [], find(slug).start(size)
        while position.outcome is None and len(game) < MOST_PLIES:
            game.append(position)
            position = position.play(position.random_turn(rng))
        chosen += [game[0], game[len(game) // 4], game[len(game) // 2]]
    return chosen


def measure(slug: str, size: int, leaves: int) -> tuple[float, float]:
    """Return playouts and leaves per millisecond."""
    positions = positions_of(slug, size)
    grown = playouts = 0
    began = time.process_time()
    for position in positions:
        tree = Tree(position, judge_for(slug), estimator_for(slug), Random(1))
        for _ in range(leaves):
            tree.grow()
        grown += tree.leaves
        playouts += tree.playouts
    spent = 1000 * (time.process_time() - began)
    return playouts / spent, grown / spent


def main() -> None:
    """Measure and print the table."""
    arguments = options_of(__doc__, rulesets=(list(RULESETS), "slug or slug:size"), leaves=(300, "leaves per position"),
                           python=(False, "measure without the native engine"))
    if arguments.python:
        native.find = lambda: None
    sys.stdout.write(f"{'ruleset':15} size playouts/ms leaves/ms\n")
    for ruleset in arguments.rulesets:
        slug, _, size = ruleset.partition(":")
        board = int(size) if size else find(slug).default_size
        playouts, leaves = measure(slug, board, arguments.leaves)
        sys.stdout.write(f"{slug:15} {board:>4} {playouts:>11.1f} {leaves:>9.2f}\n")


if __name__ == "__main__":
    main()
