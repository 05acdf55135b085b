"""`greedy`: looks one turn ahead. An integer as argument makes its games repeatable."""

import sys
import time
from collections.abc import Iterator
from math import inf
from random import Random
from typing import Final

from engines.notation import Turn
from engines.ruleset import Position
from engines.sdk import Bot, Clock, run
from engines.search.judge import Evaluator, judge_for

# How many turns are looked at, if the clock allows.
_WIDTH: Final = 12


class GreedyBot(Bot):
    """Of some promising turns, plays the one after which the ruleset's judge likes the position best."""

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
        """Whole turns, one for each of the best first steps, the rest of the turn built step by step.

        Words come first: passing and swapping are always worth a look.
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
        """The next steps, the best first, equal ones in random order; useless ones only when all are."""
        steps = list(position.steps(partial).next)
        self._rng.shuffle(steps)
        ranked = sorted(zip(judge.rank(position, partial, tuple(steps)), steps, strict=True), key=_worth, reverse=True)
        return [entry for entry in ranked if entry[0] > 0] or ranked


def _worth(entry: tuple[float, int]) -> float:
    return entry[0]


if __name__ == "__main__":
    run(GreedyBot(*map(int, sys.argv[1:])))
