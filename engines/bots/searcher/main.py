"""`searcher`: Monte-Carlo tree search. Arguments: a seed, and the most leaves for a turn."""

import sys
from math import inf
from random import Random

from engines.notation import Turn
from engines.ruleset import Position
from engines.sdk import Bot, Clock, run
from engines.search.budget import Budget
from engines.search.estimate import estimator_for
from engines.search.judge import judge_for
from engines.search.tree import END, Tree


class SearcherBot(Bot):
    """Grows a tree of stones for as long as the clock allows, and plays where it looked most."""

    name = "searcher"

    def __init__(self, seed: int | None = None, most_leaves: float = inf) -> None:
        self._rng = Random(seed)
        self._most_leaves = most_leaves

    def choose(self, position: Position, clock: Clock) -> Turn:
        budget = Budget(clock, self._most_leaves)
        tree = Tree(position, judge_for(position.slug), estimator_for(position.slug), self._rng)
        turn: Turn = ()
        while True:
            # Every stone may use half of what is left; the last, all of it.
            enough = (1 + budget.spent(tree.leaves)) / 2
            while (spent := budget.spent(tree.leaves)) < enough or (spent < 1 and tree.favourite_ends_turn()):
                tree.grow()
            step, over = tree.descend()
            if step != END:
                turn = (*turn, step)
            if over:
                return turn


if __name__ == "__main__":
    run(SearcherBot(*map(int, sys.argv[1:])))
