"""Statistics of random playouts of a position."""

from random import Random
from typing import Final, NamedTuple

from engines.native import native_position
from engines.rules.notation import Turn
from engines.rules.ruleset import Position

# The maximum length of a playout, as a multiple of the number of cells. Longer ones count as draws, because stones may
# be removed again and again.
LONGEST: Final = 3


class PlayoutSample(NamedTuple):
    """Playouts of one position: the mean result, and how often the seat held each cell, and held it and won."""

    value: float
    playouts: int
    held: list[int]
    held_won: list[float]

    def after(self, steps: tuple[int, ...]) -> list[float]:
        """Return the chance after each step, shrunk towards `value` because few playouts say little about one cell."""
        prior = (self.value * self.playouts + 0.5) / (self.playouts + 1)
        return [(self.held_won[step] + 8 * prior) / (self.held[step] + 8) if step >= 0 else prior for step in steps]


def native_sample(position: Position, partial: Turn, rng: Random, playouts: int) -> PlayoutSample:
    """Play out in the native engine, where the position's earlier boards may be repeated.

    The engine leaves out turns that never help, in rulesets for which it knows them.
    """
    start = native_position(position, earlier_boards=False)
    for cell in partial:
        start.add(cell)
    value, held, held_won = start.sample(playouts, rng.getrandbits(64), LONGEST * len(position.stones))
    return PlayoutSample(value, playouts, held, held_won)
