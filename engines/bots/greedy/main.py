"""`greedy`: looks one turn ahead. Pass an integer seed as argument to make its games reproducible."""

import sys
import time
from collections.abc import Iterator
from math import inf
from random import Random
from typing import Final

from squarefield._core.engines.search.judge import Evaluator, judge_for
from squarefield.sdk import Bot, Clock, Position, Turn, run

# The number of turns to evaluate, if the clock allows.
_WIDTH: Final = 12


class GreedyBot(Bot):
    """A bot that evaluates a few promising turns and plays the one with the best resulting position."""

    name = "greedy"

    def __init__(self, seed: int | None = None) -> None:
        self._rng = Random(seed)

    def choose(self, position: Position, clock: Clock) -> Turn:
        judge, seat = judge_for(position.slug), position.seat_to_move
        stop_at = time.monotonic() + clock.remaining / 20 + clock.increment / 2
        best: Turn = ()
        best_value = -inf
        for turn in self._promising(position, judge):
            value = self._value(position.after(turn), seat, judge)
            if not best or value > best_value:
                best, best_value = turn, value
            if value == inf or time.monotonic() >= stop_at:
                break
        return best

    def _value(self, after: Position, seat: int, judge: Evaluator) -> float:
        if after.outcome is None:
            return judge.rate(after, seat)
        if after.outcome.winner is None:
            return 0.0
        return inf if after.outcome.winner == seat else -inf

    def _promising(self, position: Position, judge: Evaluator) -> Iterator[Turn]:
        """Yield a complete turn for each of the best first steps; the rest of the turn is built step by step.

        Passes and swaps come first: they are always worth evaluating.
        """
        ranked = self._ranked(position, (), judge)
        words = [entry for entry in ranked if entry[1] < 0]
        for _, step in words + [entry for entry in ranked if entry[1] >= 0][:_WIDTH]:
            turn: Turn = (step,)
            while ranked := self._ranked(position, turn, judge):
                worth, following = ranked[0]
                if worth <= 0 and position.steps(turn).may_end:
                    break
                turn = (*turn, following)
            yield turn

    def _ranked(self, position: Position, partial: Turn, judge: Evaluator) -> list[tuple[float, int]]:
        """Return the next steps, best first, equal ones in random order; useless steps only if all are useless."""
        steps = list(position.steps(partial).next)
        self._rng.shuffle(steps)
        ranked = sorted(zip(judge.rank(position, partial, tuple(steps)), steps, strict=True), key=_worth, reverse=True)
        return [entry for entry in ranked if entry[0] > 0] or ranked


def _worth(entry: tuple[float, int]) -> float:
    return entry[0]


if __name__ == "__main__":
    run(GreedyBot(*map(int, sys.argv[1:])))
