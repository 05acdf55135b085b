"""The search tree: one edge is one stone, or the end of the turn.

A turn of many stones is a path of many nodes with the same seat to move, so that no node has more children than the
board has cells. The steps come from the rules. Stones of one turn that are placed in a different order lead to the same
node.

Selection is PUCT: Silver et al., "Mastering the game of Go without human knowledge" (2017), with the
evaluator and the estimator in place of the network. Before its first visit, a child has the value given by its
parent's completions, counted as a few visits, after Gelly and Silver's prior knowledge (2007). Certain wins
are propagated up the tree, after Winands, Björnsson and Saito's "Monte-Carlo tree search solver" (2008).
"""

from math import exp, inf, sqrt
from random import Random
from typing import Final

from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.estimate import Estimator, Sample
from engines.search.judge import Evaluator

# The step that ends a turn. Cells are 0 or more; words are complete turns.
END: Final = -100

_EXPLORATION: Final = 0.6
# The number of visits that the parent's completions count for, and how sharply they favour promising steps.
_PRIOR_VISITS: Final = 2.0
_TEMPERATURE: Final = 0.06
# The evaluator's share of the prior, and of a leaf's value; the rest comes from the completions.
_JUDGE_SHARE: Final = 0.5
_GLANCE_SHARE: Final = 0.3
# The number of most promising steps that are compared at first, and the number of visits before each further one.
_WIDTH: Final = 12
_VISITS_PER_WIDTH: Final = 6

# The measured size of a node: for its position and completions, per cell, and for each of its steps.
_BYTES_PER_CELL: Final = 65
_BYTES_PER_STEP: Final = 130


class Node:
    """A position with the stones so far of a turn. Values are from the point of view of `seat`.

    The lists run parallel to `steps`, most promising first, and are empty until the node's second visit. `proof` is
    the value if it is certain. An edge with a certain result has an infinite total. In a node that begins a turn,
    `turns` holds the nodes reached by the turn's stones, keyed by the set of stones.
    """

    __slots__ = ("after", "children", "partial", "position", "priors", "proof", "sample", "seat", "steps", "totals",
                 "turns", "value", "visited", "visits")

    def __init__(self, position: Position, partial: Turn, value: float, sample: Sample | None) -> None:
        self.position = position
        self.partial = partial
        self.seat = position.seat_to_move
        self.value = value
        self.sample = sample
        self.proof: float | None = None
        self.steps: tuple[int, ...] = ()
        self.after: list[float] = []
        self.priors: list[float] = []
        self.visited = 0
        self.visits: list[int] = []
        self.totals: list[float] = []
        self.children: list[Node | None] = []
        self.turns: dict[tuple[int, frozenset[int]], Node] = {}

    def select(self) -> int:
        """Return the index of the most promising step."""
        scale = _EXPLORATION * sqrt(self.visited + 1)
        width = _WIDTH + self.visited // _VISITS_PER_WIDTH
        best, best_score = 0, -inf
        steps = zip(self.visits[:width], self.totals, self.after, self.priors, strict=False)
        for index, (visits, total, after, prior) in enumerate(steps):
            score = (total + _PRIOR_VISITS * after) / (visits + _PRIOR_VISITS) + scale * prior / (1 + visits)
            if score > best_score:
                best, best_score = index, score
        if best_score == -inf and width < len(self.steps):
            return next(index for index, total in enumerate(self.totals) if total > -inf)
        return best

    def best_step(self) -> int:
        """Return the index of a winning step, or else of the most visited step; of equals, the most promising."""
        totals, visits = self.totals, self.visits
        if inf in totals:
            return totals.index(inf)
        index = visits.index(max(visits))
        if totals[index] == -inf:
            index = max(range(len(visits)), key=lambda one: (totals[one] > -inf, visits[one], -one))
        return index


class Tree:
    """A search tree. `leaves` is the number of leaves grown so far, `playouts` the number of completions made for them.

    `room` is the approximate size in bytes of all nodes ever created, including freed nodes above the root.
    """

    def __init__(self, position: Position, judge: Evaluator, estimator: Estimator, rng: Random) -> None:
        self._judge, self._estimator, self._rng = judge, estimator, rng
        self.leaves = self.playouts = self.room = 0
        self.root = self._node(position, ())
        self._turns = self.root.turns
        self._expand(self.root)

    def grow(self) -> None:
        """Add one leaf, or visit the end of a game again."""
        self.leaves += 1
        node, turns, path = self.root, self._turns, []
        while True:
            if not node.steps:
                self._expand(node)
            index = node.select()
            path.append((node, index))
            child = node.children[index]
            if child is None:
                child, is_new = self._child(node, node.steps[index], turns)
                node.children[index] = child
            else:
                is_new = False
            if not child.partial:
                turns = child.turns
            node = child
            if is_new or node.proof is not None:
                break
        _back_up(path, node)

    @property
    def is_decided(self) -> bool:
        """True if further search cannot change the best step of the root."""
        totals = self.root.totals
        return inf in totals or len(totals) - totals.count(-inf) <= 1

    def lead(self) -> float:
        """Return the lead in visits of the root's best step over the next step that could still become the best."""
        if self.is_decided:
            return inf
        root = self.root
        visits = sorted(visits for visits, total in zip(root.visits, root.totals, strict=True) if total > -inf)
        return visits[-1] - visits[-2]

    def chance(self) -> float:
        """Return the chance of the root's seat to win, 0 to 1, by its best step."""
        root, index = self.root, self.root.best_step()
        total, visits = root.totals[index], root.visits[index]
        if total in (inf, -inf):
            return float(total == inf)
        return min(1.0, max(0.0, total / visits if visits else root.value))

    def favourite_ends_turn(self) -> bool:
        """Return whether the root's best step is known to be the last of its turn."""
        child = self.root.children[self.root.best_step()]
        return child is not None and not child.partial

    def descend(self) -> tuple[int, bool]:
        """Take the root's best step and make its node the root. Return the step and whether the turn is over."""
        root, index = self.root, self.root.best_step()
        step = root.steps[index]
        child = root.children[index] or self._child(root, step, self._turns)[0]
        self._move_to(child)
        return step, not child.partial

    def follow(self, position: Position) -> bool:
        """Make the node of `position`, one turn from the root, the new root. Return False if there is no such node."""
        for node in self._turns.values():
            if not node.partial and node.position == position and node.position.outcome is None:
                self._move_to(node)
                return True
        return False

    def _move_to(self, node: Node) -> None:
        self.root = node
        if not node.partial:
            self._turns = node.turns
        if not node.steps and node.position.outcome is None:
            self._expand(node)

    def _child(self, node: Node, step: int, turns: dict[tuple[int, frozenset[int]], Node]) -> tuple[Node, bool]:
        """Return the node that a step leads to, and whether it is new."""
        turn = (*node.partial, step)
        key = (turn[0] if node.position.first_stone_counts else 0, frozenset(turn))
        known = turns.get(key)
        if known is not None:
            return known, False
        if step == END:
            child = self._node(node.position.after(node.partial), ())
        elif step < 0 or not node.position.steps(turn).next:
            child = self._node(node.position.after(turn), ())
        else:
            child = self._node(node.position, turn)
        turns[key] = child
        return child, True

    def _node(self, position: Position, partial: Turn) -> Node:
        if position.outcome is not None:
            winner = position.outcome.winner
            node = Node(position, (), 0.5 if winner is None else float(winner == position.seat_to_move), None)
            node.proof = node.value
            return node
        sample = self._estimator.sample(position, partial, self._rng)
        self.playouts += sample.playouts
        self.room += _BYTES_PER_CELL * position.size ** 2
        chance, wins = self._judge.glance(position, partial)
        value = sample.value if chance is None else (1 - _GLANCE_SHARE) * sample.value + _GLANCE_SHARE * chance
        node = Node(position, partial, value, sample)
        if wins:
            node.value = node.proof = 1.0
        return node

    def _expand(self, node: Node) -> None:
        """Create the node's lists of steps, most promising first."""
        position, partial, sample = node.position, node.partial, node.sample
        assert sample is not None
        steps = position.steps(partial)
        after = sample.after(steps.next)
        worth = self._judge.rank(position, partial, steps.next)
        all_steps = steps.next
        if steps.may_end:
            all_steps = (*all_steps, END)
            after = [*after, sample.value]
            worth = [*worth, min(worth, default=1.0)]
        shift = node.value - sample.value
        ordered = sorted(zip(_priors(after, worth), after, all_steps, strict=True), reverse=True)
        node.priors = [prior for prior, _, _ in ordered]
        node.after = [chance + shift for _, chance, _ in ordered]
        node.steps = tuple(step for _, _, step in ordered)
        node.visits = [0] * len(ordered)
        node.totals = [0.0] * len(ordered)
        node.children = [None] * len(ordered)
        node.sample = None
        self.room += _BYTES_PER_STEP * len(ordered)


def _back_up(path: list[tuple[Node, int]], leaf: Node) -> None:
    """Count a visit of `leaf` in the nodes above it, and update their proofs."""
    below = leaf
    for above, index in reversed(path):
        above.visited += 1
        above.visits[index] += 1
        above.totals[index] += leaf.value if above.seat == leaf.seat else 1 - leaf.value
        if below.proof is not None:
            proof = below.proof if above.seat == below.seat else 1 - below.proof
            if proof == 1:
                above.totals[index] = inf
                above.proof = 1.0
            elif proof == 0:
                above.totals[index] = -inf
                if above.totals.count(-inf) == len(above.totals):
                    above.proof = 0.0
        below = above


def _priors(after: list[float], worth: list[float]) -> list[float]:
    """Return the prior distribution over the steps, partly from the completions and partly from the evaluator."""
    top = max(after)
    weights = [exp((chance - top) / _TEMPERATURE) for chance in after]
    by_chance, by_worth = sum(weights), sum(worth) or 1.0
    return [(1 - _JUDGE_SHARE) * weight / by_chance + _JUDGE_SHARE * value / by_worth
            for weight, value in zip(weights, worth, strict=True)]
