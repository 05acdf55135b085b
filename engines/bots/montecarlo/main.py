"""`montecarlo`: plays random games and follows the stones that win them. Arguments: a seed; tries per turn, for any."""

import sys
import time
from math import inf, log, sqrt
from random import Random

from squarefield import native
from squarefield.sdk import Bot, Clock, Position, Turn, View, run

END, AT_ONCE, EXPLORE, PRIOR = -99, 32, 0.1, 30


class Node(dict[int, "Node"]):
    """A stone, or the END of a turn: how often it was tried, how often its player won, and the steps after it."""

    tries, won = 0, 0.0


class MonteCarloBot(Bot):
    name = "montecarlo"

    def __init__(self, seed: int | None = None, most: float = inf) -> None:
        self.rng, self.most = Random(seed), most

    def choose(self, position: Position, clock: Clock) -> Turn:
        left = clock.remaining if min(clock.remaining, self.most) < inf else 20.0
        stop_at, node, turn = time.monotonic() + min(left / 20 + clock.increment / 2, left / 2), Node(), Turn()
        # For each seat and cell: the random games at whose end the seat held the cell, and its wins in them.
        self.held = [[[PRIOR, PRIOR / 2] for _ in position.stones] for _ in range(2)]
        while not node.tries or (node.tries < self.most and time.monotonic() < stop_at):
            self.explore(node, position)
        self.view = View(win=max(child.won / child.tries for child in node.values()), nodes=node.tries)
        while node:  # The step tried most often is the best: a good chance was worth many tries.
            step, node = max(node.items(), key=lambda entry: entry[1].tries)
            if step == END:
                return turn
            turn = (*turn, step)
        return position.complete_at_random(turn, self.rng)

    def explore(self, node: Node, position: Position) -> None:
        """Follow the most promising steps to a new node, play random games from there, and count their results."""
        path, turn = [(node, 0)], Turn()
        while position.outcome is None and (node.tries or len(path) == 1):
            steps, parent, seat = position.steps(turn), node, position.seat_to_move
            step = max((*steps.next, *[END] * steps.may_end), key=lambda step: self.promise(parent, step, seat))
            node = parent.setdefault(step, Node())
            path.append((node, seat))
            position, turn = (position.after(turn), Turn()) if step == END else (position, (*turn, step))
        chance = self.chance(position.after(position.complete_at_random(turn, self.rng)) if turn else position)
        for node, seat in path:
            node.tries, node.won = node.tries + 1, node.won + (1 - chance if seat else chance)

    def promise(self, parent: Node, step: int, seat: int) -> float:
        """Return the chance of a step, in its own tries and in games that held its cell, plus a bonus for few tries."""
        child, (games, wins) = parent.get(step, Node()), self.held[seat][step] if step >= 0 else (2, 1)
        weight = child.tries + PRIOR
        return (child.won + PRIOR * wins / games) / weight + EXPLORE * sqrt(log(parent.tries + 1) / weight)

    def chance(self, position: Position) -> float:
        """Return seat 0's share of random games: of many if the native engine is installed, otherwise of one."""
        if many := position.outcome is None and native.knows(position.slug):
            board, seed = native.native_position(position), self.rng.randrange(2**63)
            won, _, drawn, _ = board.playouts(AT_ONCE, seed)
            board.play_out(native.module().Rng(seed))
            stones, winner = board.stones, board.winner
        else:
            for _ in range(3 * len(position.stones)):
                position = position if position.outcome else position.after(position.random_turn(self.rng))
            stones, winner = position.stones, position.outcome.winner if position.outcome else None
        for cell, stone in enumerate(stones):
            if stone:
                games, wins = self.held[stone - 1][cell]
                self.held[stone - 1][cell] = [games + 1, wins + (winner == stone - 1)]
        return (won + drawn / 2) / AT_ONCE if many else {0: 1.0, 1: 0.0}.get(winner, 0.5)


if __name__ == "__main__":
    run(MonteCarloBot(*map(int, sys.argv[1:])))
