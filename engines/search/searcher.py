"""The bot that searches, for `searcher` and its fixed strengths."""

from math import inf
from random import Random
from typing import Final

from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.sdk import Bot, Clock
from engines.search.budget import Budget
from engines.search.estimate import estimator_for
from engines.search.judge import judge_for
from engines.search.tree import END, Tree

# What a tree may take in all, in bytes; one that has taken half of it is not kept for another turn.
_MOST_ROOM: Final = 300_000_000
# After how many leaves to ask whether the choice can still change.
_OFTEN: Final = 16


class SearcherBot(Bot):
    """Grows a tree of stones for as long as the budget allows, plays where it looked most, and keeps what it grew."""

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
            step, over = tree.descend()
            if step != END:
                turn = (*turn, step)
            if over:
                return turn

    def _leaves(self, slug: str) -> float:
        """The most leaves for a turn of this ruleset."""
        return self._most_leaves

    def _tree_of(self, position: Position) -> Tree:
        """The tree of the turn before, where the other's turn has led in it; a new one when it has not been there."""
        tree = self._tree
        if tree is None or tree.room > _MOST_ROOM / 2 or not tree.follow(position):
            tree = Tree(position, judge_for(position.slug), estimator_for(position.slug), self._rng)
            self._tree = tree
        return tree


def _think(tree: Tree, budget: Budget, before: int) -> None:
    """Grow the tree, which had `before` leaves when the turn began, until the next stone is chosen.

    Every stone may use half of what is left; the last, all of it. Time that cannot change the choice is saved.
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
        # At this pace, are there leaves enough to come for another step to catch up?
        if grown % _OFTEN == 0 and tree.lead() * (spent - began) > grown * (1 - spent):
            return


class AnchorBot(SearcherBot):
    """A searcher of a fixed strength, 1 to 3: so many leaves a turn, however fast the machine is."""

    def __init__(self, strength: int, seed: int | None = None) -> None:
        super().__init__(seed)
        self._strength = strength

    def _leaves(self, slug: str) -> float:
        return estimator_for(slug).anchors[self._strength - 1]
