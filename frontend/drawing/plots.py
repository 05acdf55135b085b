"""A bot's rating over time as SVG: a step and a band, and a line at each new version."""

from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from ratings.models import RatingPoint

WIDTH, HEIGHT = 640, 220
_LEFT, _TOP, _RIGHT, _BOTTOM = 48, 20, 12, 28
_STEPS = (10, 20, 50, 100, 200, 500, 1000)
# The band is cut off at this distance from the rating: after one game it is much wider than later.
_BAND_SHOWN = 200
# Minimum distance at which the names of versions do not overlap.
_NAME_WIDTH = 36


class _Scale:
    """The plot coordinates of ratings and times."""

    def __init__(self, points: Sequence[RatingPoint]) -> None:
        lows, highs = zip(*(_band(point) for point in points), strict=True)
        self.step = next((s for s in _STEPS if (max(highs) - min(lows)) / s <= 4), _STEPS[-1])
        self.low = int(min(lows) // self.step) * self.step
        self.high = max(int(-(-max(highs) // self.step)) * self.step, self.low + self.step)
        self._times = [point.at.timestamp() for point in points]

    def x(self, index: int) -> float:
        """The horizontal position of the point with that index; the right edge after the last."""
        start, end = self._times[0], self._times[-1]
        share = (self._times[index] - start) / (end - start) if index < len(self._times) and end > start else 1.0
        return round(_LEFT + share * (WIDTH - _LEFT - _RIGHT), 1)

    def y(self, value: float) -> float:
        """The vertical position of a rating."""
        return round(_TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - _TOP - _BOTTOM), 1)

    def steps(self, values: Sequence[float]) -> str:
        """The path of a line that steps from value to value, without its starting point."""
        return "".join(f"V{self.y(value)}H{self.x(index + 1)}" for index, value in enumerate(values))


def rating_plot(points: Sequence[RatingPoint]) -> SafeString:
    """The plot of a bot's rating at these times, oldest first; empty for fewer than two."""
    if len(points) < 2:
        return mark_safe("")
    scale = _Scale(points)
    first, last = points[0], points[-1]
    grid = "".join(
        f'<path class="lines" d="M{_LEFT} {scale.y(v)}H{WIDTH - _RIGHT}"/><text x="{_LEFT - 8}" y="{scale.y(v) + 4}" '
        f'text-anchor="end">{v}</text>' for v in range(scale.low, scale.high + 1, scale.step))
    return format_html(
        '<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}{}'
        '<path class="track" d="M{} {}{}"/><circle class="end" cx="{}" cy="{}" r="4.5"/>'
        '<text x="{}" y="{}">{}</text><text x="{}" y="{}" text-anchor="end">{}</text></svg>',
        WIDTH, HEIGHT, _said(points),
        mark_safe(_band_path(points, scale)), mark_safe(grid), mark_safe(_versions(points, scale)),  # noqa: S308 — numbers
        _LEFT, scale.y(first.value), scale.steps([point.value for point in points]),
        WIDTH - _RIGHT, scale.y(last.value), _LEFT, HEIGHT - 6, gettext("earlier"),
        WIDTH - _RIGHT, HEIGHT - 6, gettext("now"))


def _said(points: Sequence[RatingPoint]) -> str:
    first, last = points[0], points[-1]
    return gettext("Rating over time: from %(first)s to %(last)s, now between %(low)s and %(high)s") % {
        "first": round(first.value), "last": round(last.value), "low": round(last.low), "high": round(last.high)}


def _band(point: RatingPoint) -> tuple[float, float]:
    """The ends of its band, cut off at the distance that is shown."""
    return max(point.low, point.value - _BAND_SHOWN), min(point.high, point.value + _BAND_SHOWN)


def _band_path(points: Sequence[RatingPoint], scale: _Scale) -> str:
    """The outline of the band: along its upper edge and back along its lower edge."""
    lows, highs = zip(*(_band(point) for point in points), strict=True)
    back = "".join(f"V{scale.y(low)}H{scale.x(index)}" for index, low in reversed(list(enumerate(lows))))
    return f'<path class="band" d="M{_LEFT} {scale.y(highs[0])}{scale.steps(highs)}{back}Z"/>'


def _versions(points: Sequence[RatingPoint], scale: _Scale) -> str:
    """A line at the first point of each version except the first, with its name if there is room."""
    parts, named = [], -_NAME_WIDTH
    for index in range(1, len(points)):
        if points[index].version == points[index - 1].version:
            continue
        x = scale.x(index)
        parts.append(f'<path class="lines version" d="M{x} {_TOP}V{HEIGHT - _BOTTOM}"/>')
        if x - named >= _NAME_WIDTH and x < WIDTH - _RIGHT - _NAME_WIDTH:
            parts.append(f'<text x="{x + 3}" y="{_TOP - 7}">v{points[index].version}</text>')
            named = x
    return "".join(parts)
