"""The searching bot, used by `searcher` and by its variants with fixed strengths."""

from math import inf
from random import Random
from typing import Final

from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.sdk import Bot, Clock, View
from engines.search.budget import Budget
from engines.search.estimate import estimator_for
from engines.search.judge import judge_for
from engines.search.tree import END, Tree

# The maximum size of a tree in bytes; a tree of more than half this size is not reused in the next turn.
_MOST_ROOM: Final = 300_000_000
# The number of leaves between checks whether the choice can still change.
_OFTEN: Final = 16


class SearcherBot(Bot):
    """A bot that grows a search tree within its budget, plays the most visited step, and reuses the tree."""

    name = "searcher"

    def __init__(self, seed: int | None = None, most_leaves: float = inf) -> None:
        self._rng = Random(seed)  # noqa: S311 - a bot's choices are no secrets
        self._most_leaves = most_leaves
        self._tree: Tree | None = None

    def choose(self, position: Position, clock: Clock) -> Turn:
        budget = Budget(clock, self._leaves(position.slug))
        tree = self._tree_of(position)
        before = tree.leaves
        turn: Turn = ()
        while True:
            _think(tree, budget, before)
            self.view = View(win=tree.chance(), nodes=tree.leaves - before)
            step, over = tree.descend()
            if step != END:
                turn = (*turn, step)
            if over:
                return turn

    def _leaves(self, slug: str) -> float:
        """Return the maximum number of leaves per turn in this ruleset."""
        return self._most_leaves

    def _tree_of(self, position: Position) -> Tree:
        """Return the previous turn's tree, moved to this position, or a new tree if the position is not in it."""
        tree = self._tree
        if tree is None or tree.room > _MOST_ROOM / 2 or not tree.follow(position):
            tree = Tree(position, judge_for(position.slug), estimator_for(position.slug), self._rng)
            self._tree = tree
        return tree


def _think(tree: Tree, budget: Budget, before: int) -> None:
    """Grow the tree, which had `before` leaves when the turn began, until the next stone is chosen.

    Each stone may use half of the remaining budget; the last stone may use all of it. Stop early if more time cannot
    change the choice.
    """
    first = tree.leaves
    began = spent = budget.spent(first - before)
    enough = (1 + spent) / 2
    while not tree.is_decided and spent < 1 and tree.room < _MOST_ROOM:
        if spent >= enough and not tree.favourite_ends_turn():
            return
        tree.grow()
        spent = budget.spent(tree.leaves - before)
        grown = tree.leaves - first
        # At this pace, are there enough leaves left for another step to catch up?
        if grown % _OFTEN == 0 and tree.lead() * (spent - began) > grown * (1 - spent):
            return


class AnchorBot(SearcherBot):
    """A searcher with a fixed strength from 1 to 3: a number of leaves per turn that does not depend on the machine."""

    def __init__(self, strength: int, seed: int | None = None) -> None:
        super().__init__(seed)
        self._strength = strength

    def _leaves(self, slug: str) -> float:
        return estimator_for(slug).anchors[self._strength - 1]
