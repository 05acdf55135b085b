"""Views of a game as SVG: the chance of the first seat after each turn, as each bot or judge saw it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from frontend.drawing.board import Document

_WIDTH, _HEIGHT = 420, 170
_LEFT, _TOP, _RIGHT, _BOTTOM = 36, 10, 10, 26
# Smaller differences between two estimates are no news.
_DISAGREEMENT = 0.25


class Track(NamedTuple):
    """A line of the plot: the class of its dots, and the chance of the first seat by turn."""

    dots: str
    points: Sequence[tuple[int, float]]


def views_plot(document: Document) -> SafeString:
    """The plot of what both bots reported; empty unless a bot reported a chance."""
    seen = chances(document)
    return chances_plot([Track(f"s{seat}", [(turn, chance) for turn, whose, chance in seen if whose == seat])
                         for seat in (0, 1)], len(document["turns"]))


def chances_plot(tracks: Sequence[Track], turns: int) -> SafeString:
    """The plot of a game with so many turns; empty without a chance. Each turn with one is a link to its position.

    Screen readers skip it: the page has sentences about it.
    """
    seen = sorted({turn for track in tracks for turn, _ in track.points})
    if not seen:
        return mark_safe("")
    last = max(turns, 2)
    width = (_WIDTH - _LEFT - _RIGHT) / (last - 1)

    def x(turn: int) -> float:
        return round(_LEFT + (turn - 1) * width, 1)

    def y(chance: float) -> float:
        return round(_TOP + (1 - chance) * (_HEIGHT - _TOP - _BOTTOM), 1)

    lines = "".join(
        f'<path class="lines" d="M{_LEFT} {y(at)}H{_WIDTH - _RIGHT}"/><text x="{_LEFT - 8}" y="{y(at) + 4}" '
        f'text-anchor="end">{100 * at:.0f}</text>' for at in (0.0, 0.5, 1.0))
    drawn = ""
    for track in filter(lambda track: track.points, tracks):
        path = "M" + "L".join(f"{x(turn)} {y(chance)}" for turn, chance in track.points)
        dots = "".join(f'<circle class="{track.dots}" cx="{x(turn)}" cy="{y(chance)}" r="4"/>'
                       for turn, chance in track.points)
        drawn += f'<path class="view" d="{path}"/>{dots}'
    places = "".join(f'<a href="?turn={turn}" data-turn="" tabindex="-1"><rect x="{x(turn) - width / 2:.1f}" '
                     f'y="{_TOP}" width="{width:.1f}" height="{_HEIGHT - _TOP - _BOTTOM}" fill="transparent"/></a>'
                     for turn in seen)
    return format_html(
        '<svg class="plot" viewBox="0 0 {} {}" aria-hidden="true">{}<text x="{}" y="{}">{}</text>'
        '<text x="{}" y="{}" text-anchor="end">{}</text></svg>', _WIDTH, _HEIGHT,
        mark_safe(lines + drawn + places),  # noqa: S308 - numbers and constant class names
        _LEFT, _HEIGHT - 6, gettext("turn %(number)s") % {"number": 1}, _WIDTH - _RIGHT, _HEIGHT - 6,
        gettext("turn %(number)s") % {"number": turns})


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
