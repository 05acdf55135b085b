"""Rating intervals on a common scale, for bars that can be compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from ratings.models import Rating

# A rating and the ends of its interval.
Span = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Interval:
    """A rating and its interval on the table's scale from 0 to 1."""

    low: float
    at: float
    high: float


def span_of(rating: Rating) -> Span | None:
    """The span of a live rating; None if it has no interval yet."""
    if rating.plus_minus is None:
        return None
    return rating.value, rating.value - rating.plus_minus, rating.value + rating.plus_minus


def on_one_scale(spans: Sequence[Span | None]) -> list[Interval | None]:
    """A bar for each span; None where there is no span."""
    ends = [(low, high) for _, low, high in filter(None, spans)]
    if not ends:
        return [None] * len(spans)
    lowest, highest = min(low for low, _ in ends), max(high for _, high in ends)

    def share(value: float) -> float:
        return round((value - lowest) / (highest - lowest), 4) if highest > lowest else 0.5

    return [span and Interval(share(span[1]), share(span[0]), share(span[2])) for span in spans]
