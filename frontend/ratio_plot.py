"""A trial's log-likelihood ratio as SVG: how it ran between the two bounds, pair by pair."""

from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from frontend.plots import HEIGHT, WIDTH

_LEFT, _TOP, _RIGHT, _BOTTOM = 48, 16, 12, 28
# More points would not be told apart.
_MOST_POINTS = 600
_MARGIN = 0.08


def ratio_plot(ratios: Sequence[float], lower: float, upper: float) -> SafeString:
    """The plot of the ratio after each pair, from 0 before the first; nothing before the first."""
    if not ratios:
        return mark_safe("")
    run = [0.0, *ratios]
    low, high = min(lower, *run), max(upper, *run)
    room = (high - low) * _MARGIN
    low, high = low - room, high + room

    def x(pair: int) -> float:
        return round(_LEFT + pair / (len(run) - 1) * (WIDTH - _LEFT - _RIGHT), 1)

    def y(ratio: float) -> float:
        return round(_TOP + (high - ratio) / (high - low) * (HEIGHT - _TOP - _BOTTOM), 1)

    stride = -(-len(run) // _MOST_POINTS)
    shown = sorted({*range(0, len(run), stride), len(run) - 1})
    path = "M" + "L".join(f"{x(pair)} {y(run[pair])}" for pair in shown)
    lines = "".join(
        f'<path class="{name}" d="M{_LEFT} {y(at)}H{WIDTH - _RIGHT}"/><text x="{_LEFT - 8}" y="{y(at) + 4}" '
        f'text-anchor="end">{at:.2f}</text>' for name, at in (("bound", upper), ("lines", 0.0), ("bound", lower)))
    return format_html(
        '<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="Log-likelihood ratio after each of {} pairs: now '
        '{}, between the bounds {} and {}">{}<text x="{}" y="{}" text-anchor="end">passed</text><text x="{}" y="{}" '
        'text-anchor="end">failed</text><path class="track" d="{}"/><circle class="end" cx="{}" cy="{}" r="4.5"/>'
        '<text x="{}" y="{}">first pair</text><text x="{}" y="{}" text-anchor="end">pair {}</text></svg>',
        WIDTH, HEIGHT, len(ratios), f"{run[-1]:.2f}", f"{lower:.2f}", f"{upper:.2f}",
        mark_safe(lines), WIDTH - _RIGHT, y(upper) - 6, WIDTH - _RIGHT, y(lower) + 14, path,  # noqa: S308 — numbers
        x(len(run) - 1), y(run[-1]), _LEFT, HEIGHT - 6, WIDTH - _RIGHT, HEIGHT - 6, len(ratios))
