"""A trial's log-likelihood ratio as SVG: its course between the two bounds, pair by pair."""

from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from frontend.drawing.plots import HEIGHT, WIDTH
from frontend.text.wording import decimal

_LEFT, _TOP, _RIGHT, _BOTTOM = 48, 16, 12, 28
# More points could not be distinguished.
_MOST_POINTS = 600
_MARGIN = 0.08


def ratio_plot(ratios: Sequence[float], lower: float, upper: float) -> SafeString:
    """The plot of the ratio after each pair, starting at 0; empty if there are no pairs."""
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
        f'text-anchor="end">{_number(at)}</text>' for name, at in (("bound", upper), ("lines", 0.0), ("bound", lower)))
    return format_html(
        '<svg class="plot ratio" viewBox="0 0 {} {}" role="img" aria-label="{}">{}<text x="{}" y="{}" '
        'text-anchor="end">{}</text><text x="{}" y="{}" text-anchor="end">{}</text><path class="track" d="{}"/>'
        '<circle class="end" cx="{}" cy="{}" r="4.5"/><text x="{}" y="{}">{}</text>'
        '<text x="{}" y="{}" text-anchor="end">{}</text></svg>',
        WIDTH, HEIGHT, _said(ratios, lower, upper), mark_safe(lines),  # noqa: S308 — numbers
        WIDTH - _RIGHT, y(upper) - 6, gettext("passed"), WIDTH - _RIGHT, y(lower) + 14, gettext("failed"), path,
        x(len(run) - 1), y(run[-1]), _LEFT, HEIGHT - 6, gettext("first pair"), WIDTH - _RIGHT, HEIGHT - 6,
        gettext("pair %(number)s") % {"number": len(ratios)})


def _said(ratios: Sequence[float], lower: float, upper: float) -> str:
    return gettext("Log-likelihood ratio after each of %(count)s pairs: now %(ratio)s, between the bounds %(lower)s "
                   "and %(upper)s") % {"count": len(ratios), "ratio": _number(ratios[-1]), "lower": _number(lower),
                                       "upper": _number(upper)}


def _number(ratio: float) -> str:
    return decimal(f"{ratio:.2f}")
