"""What games played on at random say about a position."""

from typing import NamedTuple


class PlayoutSample(NamedTuple):
    """Playouts of one position: their mean result, how often the seat held each cell, and won while it did."""

    value: float
    playouts: int
    held: list[int]
    held_won: list[float]

    def after(self, steps: tuple[int, ...]) -> list[float]:
        """Drawn towards `value`, because a few playouts say little about a single cell."""
        prior = (self.value * self.playouts + 0.5) / (self.playouts + 1)
        return [(self.held_won[step] + 8 * prior) / (self.held[step] + 8) if step >= 0 else prior for step in steps]
