"""The lead after each turn of a game as SVG: bars above the line for seat 0, below it for seat 1.

The bars have the units of the ruleset's `measure`; the longest one fills the height. Each turn is a link to its
position. In a long game, a link covers several turns, and the viewer's script finds the exact one. Screen readers get
the same numbers from the caption, and the links from the list of turns.
"""

from collections.abc import Sequence
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from engines.rules.registry import RULESETS
from frontend.drawing.board import Document

HEIGHT = 40
_MIDDLE = HEIGHT // 2
# The shortest bar: a lead by the order of equal squares, or one that is small compared with the largest.
_SHORTEST = 2
# More links would delay the first view of long games.
_MOST_LINKS = 75


def graph(document: Document, turn: int) -> SafeString:
    """The graph, with this turn marked; "" for rulesets that measure nothing."""
    turns, slug = document["turns"], document["ruleset"]["slug"]
    if slug not in RULESETS or not RULESETS[slug].caption or document.get("older"):
        return mark_safe("")
    leads = [_lead(played.get("measure")) for played in turns]
    longest = max((size for _, size in leads if size is not None), default=0) or 1
    bars = ["", ""]
    for place, (leader, size) in enumerate(leads):
        if leader is not None:
            height = _MIDDLE if size is None else max(_SHORTEST, round(size / longest * _MIDDLE))
            bars[leader] += f"M{place}.1 {_MIDDLE}v{height if leader else -height}h.8V{_MIDDLE}z"
    step = -(-len(turns) // _MOST_LINKS) or 1
    slots = "".join(f'<a href="?turn={first + 1}" tabindex="-1"><rect x="{first}" width="{step}"></rect></a>'
                    for first in range(0, len(turns), step))
    return mark_safe(  # noqa: S308 — made of numbers
        f'<svg viewBox="0 0 {len(turns) or 1} {HEIGHT}" preserveAspectRatio="none" aria-hidden="true">{slots}'
        f'<rect class="now" x="{turn - 1}" width="1"></rect>'
        f'<path class="axis" d="M0 {_MIDDLE}h{len(turns)}"></path><path class="s0" d="{bars[0]}"></path>'
        f'<path class="s1" d="{bars[1]}"></path></svg>')


def _lead(measure: dict[str, Any] | None) -> tuple[int | None, int | None]:
    """The leader and the size of the lead; the size is None if the other side can no longer reach its goal."""
    if measure is None or measure["leader"] is None:
        return None, 0
    return measure["leader"], _difference(measure["counts"])


def _difference(counts: Sequence[Sequence[int | None]]) -> int | None:
    for first, second in counts:
        if first is None or second is None:
            return None
        if first != second:
            return abs(first - second)
    return 0
