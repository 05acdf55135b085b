"""`random`: some legal turn, without a thought. An integer as argument makes its games repeatable."""

import os
import sys
from random import Random

from engines.notation import Turn
from engines.ruleset import Position
from engines.sdk import Bot, Clock, run


class RandomBot(Bot):
    """Plays whatever the ruleset offers at random."""

    name = "random"

    def __init__(self, seed: int | None = None) -> None:
        self._rng = Random(seed)

    def choose(self, position: Position, clock: Clock) -> Turn:
        return position.random_turn(self._rng)


if __name__ == "__main__":
    run(RandomBot(*map(int, sys.argv[1:])))
    # Everything is flushed. Taking the interpreter apart would cost 3 ms a game, a tenth of this bot's whole life.
    os._exit(0)
