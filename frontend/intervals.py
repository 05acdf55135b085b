"""Ratings' intervals as shares of one scale, for bars beside each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from ratings.models import Rating


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a rating and its interval are on the table's scale: 0 to 1."""

    low: float
    at: float
    high: float


def on_one_scale(ratings: Sequence[Rating]) -> list[Interval | None]:
    """A bar for each rating; None for one that has no interval yet."""
    ends = [(rating.value - rating.plus_minus, rating.value + rating.plus_minus)
            for rating in ratings if rating.plus_minus is not None]
    if not ends:
        return [None] * len(ratings)
    lowest, highest = min(low for low, _ in ends), max(high for _, high in ends)

    def share(value: float) -> float:
        return round((value - lowest) / (highest - lowest), 4)

    def interval(value: float, half: float) -> Interval:
        return Interval(share(value - half), share(value), share(value + half))

    return [None if rating.plus_minus is None else interval(rating.value, rating.plus_minus) for rating in ratings]
