"""Statistics of random playouts of a position."""

from typing import NamedTuple


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
