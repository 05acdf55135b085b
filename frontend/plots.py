"""A bot's rating over time as SVG: a step line with one point for each rating period."""

from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

WIDTH, HEIGHT = 640, 220
_LEFT, _TOP, _RIGHT, _BOTTOM = 48, 12, 12, 28
_STEPS = (10, 20, 50, 100, 200, 500, 1000)


def rating_plot(values: Sequence[float]) -> SafeString:
    """The plot of ratings after each period, oldest first; nothing for fewer than two."""
    if len(values) < 2:
        return mark_safe("")
    step = next((s for s in _STEPS if (max(values) - min(values)) / s <= 4), _STEPS[-1])
    low = int(min(values) // step) * step
    high = int(-(-max(values) // step)) * step or step
    high = max(high, low + step)

    def y(value: float) -> float:
        return round(_TOP + (high - value) / (high - low) * (HEIGHT - _TOP - _BOTTOM), 1)

    stride = (WIDTH - _LEFT - _RIGHT) / len(values)
    path = f"M{_LEFT} {y(values[0])}" + "".join(
        f"{'' if index == 0 else f'V{y(value)}'}H{round(_LEFT + (index + 1) * stride, 1)}"
        for index, value in enumerate(values))
    grid = "".join(
        f'<path class="lines" d="M{_LEFT} {y(v)}H{WIDTH - _RIGHT}"/><text x="{_LEFT - 8}" y="{y(v) + 4}" '
        f'text-anchor="end">{v}</text>' for v in range(low, high + 1, step))
    return format_html(
        '<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="Rating after each of {} periods: from {} to {}">'
        '{}<path class="track" d="{}"/><circle class="end" cx="{}" cy="{}" r="4.5"/>'
        '<text x="{}" y="{}">earlier</text><text x="{}" y="{}" text-anchor="end">now</text></svg>',
        WIDTH, HEIGHT, len(values), round(values[0]), round(values[-1]), mark_safe(grid), path,  # noqa: S308 — numbers
        WIDTH - _RIGHT, y(values[-1]), _LEFT, HEIGHT - 6, WIDTH - _RIGHT, HEIGHT - 6)
