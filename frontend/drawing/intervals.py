"""Rating intervals on a common scale, for bars that can be compared."""

from collections.abc import Sequence
from dataclasses import dataclass

# A rating and the ends of its interval.
Span = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Interval:
    """A rating and its interval on the table's scale from 0 to 1."""

    low: float
    at: float
    high: float


def on_one_scale(spans: Sequence[Span]) -> list[Interval]:
    """A bar for each span."""
    lowest, highest = min((low for _, low, _ in spans), default=0.0), max((high for *_, high in spans), default=0.0)

    def share(value: float) -> float:
        return round((value - lowest) / (highest - lowest), 4) if highest > lowest else 0.5

    return [Interval(share(low), share(value), share(high)) for value, low, high in spans]
