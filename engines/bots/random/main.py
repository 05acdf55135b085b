"""`random`: plays random legal turns. Pass an integer seed as argument to make its games reproducible."""

import os
import sys
from random import Random

from squarefield.sdk import Bot, Clock, Position, Turn, run


class RandomBot(Bot):
    """A bot that plays random legal turns."""

    name = "random"

    def __init__(self, seed: int | None = None) -> None:
        self._rng = Random(seed)

    def choose(self, position: Position, clock: Clock) -> Turn:
        return position.random_turn(self._rng)


if __name__ == "__main__":
    run(RandomBot(*map(int, sys.argv[1:])))
    # All output is flushed. A regular interpreter shutdown would take 3 ms per game, a tenth of this bot's run time.
    os._exit(0)
