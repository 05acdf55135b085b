"""The search tree: one edge is one stone, or the end of the turn.

A turn of many stones is a path of many nodes with the same seat to move, so that no node has more
children than the board has cells. The rules say which steps there are; the tree never guesses them.

Selection is PUCT: Silver et al., "Mastering the game of Go without human knowledge" (2017), with the
judge and the estimator in place of the network. What a child is worth before its first visit is what its
parent's completions said, counted as a few visits, after Gelly and Silver's prior knowledge (2007).
"""

from math import exp, sqrt
from random import Random
from typing import Final

from engines.notation import Turn
from engines.ruleset import Position
from engines.search.estimate import Estimator
from engines.search.judge import Judge

# The step that ends a turn. Cells are 0 and above, and words are turns by themselves.
END: Final = -100

_EXPLORATION: Final = 0.6
# How many visits the parent's completions count for, and how sharply they tell promising steps from others.
_PRIOR_VISITS: Final = 2.0
_TEMPERATURE: Final = 0.06
# How much of the prior is the judge's; the rest is the completions'.
_JUDGE_SHARE: Final = 0.5


class Node:
    """A position with the stones so far of a turn. Lists run parallel to `steps`; values are those of `seat`."""

    __slots__ = ("after", "children", "partial", "position", "priors", "seat", "steps", "totals", "value", "visits")

    def __init__(self, position: Position, partial: Turn, steps: tuple[int, ...], value: float) -> None:
        self.position = position
        self.partial = partial
        self.seat = position.seat_to_move
        self.steps = steps
        self.value = value
        self.after: list[float] = []
        self.priors: list[float] = []
        self.visits = [0] * len(steps)
        self.totals = [0.0] * len(steps)
        self.children: list[Node | None] = [None] * len(steps)

    def select(self) -> int:
        """The index of the step that promises most."""
        scale = _EXPLORATION * sqrt(sum(self.visits) + 1)
        best, best_score = 0, -1.0
        for index, (visits, total, after, prior) in enumerate(
                zip(self.visits, self.totals, self.after, self.priors, strict=True)):
            score = (total + _PRIOR_VISITS * after) / (visits + _PRIOR_VISITS) + scale * prior / (1 + visits)
            if score > best_score:
                best, best_score = index, score
        return best

    def favourite(self) -> int:
        """The index of the step visited most; among equals, of the one with the greatest prior."""
        return max(range(len(self.steps)), key=lambda index: (self.visits[index], self.priors[index]))


class Tree:
    """A tree over one root. `leaves` counts the growths so far, `playouts` the completions made for them."""

    def __init__(self, position: Position, judge: Judge, estimator: Estimator, rng: Random) -> None:
        self._judge, self._estimator, self._rng = judge, estimator, rng
        self.leaves = self.playouts = 0
        self.root = self._node(position, ())

    def grow(self) -> None:
        """Add one leaf, or visit the end of a game once more."""
        self.leaves += 1
        node, path = self.root, []
        while node.steps:
            index = node.select()
            path.append((node, index))
            child = node.children[index]
            if child is None:
                child = node.children[index] = self._child(node, node.steps[index])
                node = child
                break
            node = child
        for above, index in path:
            above.visits[index] += 1
            above.totals[index] += node.value if above.seat == node.seat else 1 - node.value

    def favourite_ends_turn(self) -> bool:
        """Whether the step most visited at the root is the last of its turn, as far as has been seen."""
        child = self.root.children[self.root.favourite()]
        return child is not None and not child.partial

    def descend(self) -> tuple[int, bool]:
        """Take the root's favourite step and make its node the root: the step, and whether the turn is over."""
        root, index = self.root, self.root.favourite()
        step = root.steps[index]
        self.root = root.children[index] or self._child(root, step)
        return step, not self.root.partial

    def _child(self, node: Node, step: int) -> Node:
        if step == END:
            return self._node(node.position.after(node.partial), ())
        turn = (*node.partial, step)
        if step < 0 or not node.position.steps(turn).next:
            return self._node(node.position.after(turn), ())
        return self._node(node.position, turn)

    def _node(self, position: Position, partial: Turn) -> Node:
        if position.outcome is not None:
            winner = position.outcome.winner
            return Node(position, (), (), 0.5 if winner is None else float(winner == position.seat_to_move))
        steps = position.steps(partial)
        estimate = self._estimator.estimate(position, partial, steps.next, self._rng)
        self.playouts += estimate.playouts
        node = Node(position, partial, (*steps.next, END) if steps.may_end else steps.next, estimate.value)
        worth = self._judge.rank(position, partial, steps.next)
        node.after = [*estimate.after, estimate.value] if steps.may_end else estimate.after
        node.priors = _priors(node.after, [*worth, min(worth, default=1.0)] if steps.may_end else worth)
        return node


def _priors(after: list[float], worth: list[float]) -> list[float]:
    """Where to look first: a distribution over the steps, partly by the completions, partly by the judge."""
    top = max(after)
    weights = [exp((chance - top) / _TEMPERATURE) for chance in after]
    by_chance, by_worth = sum(weights), sum(worth) or 1.0
    return [(1 - _JUDGE_SHARE) * weight / by_chance + _JUDGE_SHARE * value / by_worth
            for weight, value in zip(weights, worth, strict=True)]
