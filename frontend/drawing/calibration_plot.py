"""A reliability diagram as SVG: the reported chances in bins against the share of the points, with 95 % intervals."""

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from tournaments.selectors.bots.calibration import Calibration

_SIDE, _LEFT, _TOP, _RIGHT, _BOTTOM = 300, 36, 10, 20, 12


def calibration_plot(found: Calibration) -> SafeString:
    """The plot. A bot whose points lie on the diagonal is right about its chances.

    Screen readers skip it: the page has a table with the same numbers.
    """
    inner = _SIDE - _LEFT - _RIGHT

    def x(chance: float) -> float:
        return round(_LEFT + chance * inner, 1)

    def y(share: float) -> float:
        return round(_TOP + (1 - share) * inner, 1)

    grid = "".join(
        f'<path class="lines" d="M{_LEFT} {y(at)}H{_SIDE - _RIGHT}"/><text x="{_LEFT - 8}" y="{y(at) + 4}" '
        f'text-anchor="end">{100 * at:.0f}</text><text x="{x(at)}" y="{_TOP + inner + 16}" '
        f'text-anchor="middle">{100 * at:.0f}</text>' for at in (0.0, 0.5, 1.0))
    marks = ""
    for tally in found.bins.values():
        low, high = tally.interval
        at = x(tally.reported)
        marks += (f'<path class="span" d="M{at} {y(low)}V{y(high)}"/>'
                  f'<circle class="end" cx="{at}" cy="{y(tally.scored)}" r="4.5"/>')
    return format_html(
        '<svg class="plot square" viewBox="0 0 {} {}" aria-hidden="true">{}<path class="bound" d="M{} {}L{} {}"/>{}'
        '<text x="{}" y="{}" text-anchor="end">{}</text></svg>', _SIDE, _SIDE + _BOTTOM,
        mark_safe(grid), x(0), y(0), x(1), y(1), mark_safe(marks),  # noqa: S308 - numbers
        _SIDE - _RIGHT, _TOP + inner + 36, gettext("reported chance in %, against the score"))
