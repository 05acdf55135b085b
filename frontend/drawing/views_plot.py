"""The bots' own views of a game as SVG: the chance of the first seat after each turn, as each bot saw it."""

from itertools import pairwise

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from frontend.drawing.board import Document

_WIDTH, _HEIGHT = 420, 170
_LEFT, _TOP, _RIGHT, _BOTTOM = 36, 10, 10, 26
# Smaller differences between two estimates are no news.
_DISAGREEMENT = 0.25


def views_plot(document: Document) -> SafeString:
    """The plot; empty unless a bot reported a chance. Each turn is a link to its position.

    Screen readers skip it: the page has a sentence about it.
    """
    seen = chances(document)
    if not seen:
        return mark_safe("")
    last = max(len(document["turns"]), 2)
    width = (_WIDTH - _LEFT - _RIGHT) / (last - 1)

    def x(turn: int) -> float:
        return round(_LEFT + (turn - 1) * width, 1)

    def y(chance: float) -> float:
        return round(_TOP + (1 - chance) * (_HEIGHT - _TOP - _BOTTOM), 1)

    lines = "".join(
        f'<path class="lines" d="M{_LEFT} {y(at)}H{_WIDTH - _RIGHT}"/><text x="{_LEFT - 8}" y="{y(at) + 4}" '
        f'text-anchor="end">{100 * at:.0f}</text>' for at in (0.0, 0.5, 1.0))
    tracks = ""
    for seat in (0, 1):
        own = [(turn, chance) for turn, whose, chance in seen if whose == seat]
        path = "M" + "L".join(f"{x(turn)} {y(chance)}" for turn, chance in own)
        dots = "".join(f'<circle class="s{seat}" cx="{x(turn)}" cy="{y(chance)}" r="4"/>' for turn, chance in own)
        tracks += f'<path class="view" d="{path}"/>{dots}' if own else ""
    places = "".join(f'<a href="?turn={turn}" data-turn="" tabindex="-1"><rect x="{x(turn) - width / 2:.1f}" '
                     f'y="{_TOP}" width="{width:.1f}" height="{_HEIGHT - _TOP - _BOTTOM}" fill="transparent"/></a>'
                     for turn, _, _ in seen)
    return format_html(
        '<svg class="plot" viewBox="0 0 {} {}" aria-hidden="true">{}<text x="{}" y="{}">{}</text>'
        '<text x="{}" y="{}" text-anchor="end">{}</text></svg>', _WIDTH, _HEIGHT,
        mark_safe(lines + tracks + places),  # noqa: S308 - numbers
        _LEFT, _HEIGHT - 6, gettext("turn %(number)s") % {"number": 1}, _WIDTH - _RIGHT, _HEIGHT - 6,
        gettext("turn %(number)s") % {"number": len(document["turns"])})


def chances(document: Document) -> list[tuple[int, int, float]]:
    """The turns for which a bot reported its chance: number, seat of the bot, and the chance of seat 0."""
    return [(number, turn["seat"], turn["view"]["win"] if turn["seat"] == 0 else 1 - turn["view"]["win"])
            for number, turn in enumerate(document["turns"], start=1) if "win" in turn.get("view", {})]


def widest_gap(document: Document) -> tuple[int, ...]:
    """The successive turns, one of each bot, at which they disagreed most; none if never by _DISAGREEMENT."""
    seen = chances(document)
    pairs = [(abs(before[2] - after[2]), before[0], after[0]) for before, after in pairwise(seen)
             if before[1] != after[1]]
    gap, first, second = max(pairs, key=lambda pair: (pair[0], -pair[1]), default=(0.0, 0, 0))
    return (first, second) if gap >= _DISAGREEMENT else ()
