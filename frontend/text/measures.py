"""The side that is ahead in the game's own terms, in words: "Stones to connect: 3–5 · black ahead since turn 12"."""

from collections.abc import Sequence
from typing import Any, Final

from django.utils.translation import gettext

from engines.rules.registry import RULESETS
from frontend.text.core_words import translated

# Number of pairs in a caption: all of those on SquareSquared's default board.
_SHOWN: Final = 4


def captions(slug: str, turns: Sequence[dict[str, Any]]) -> list[str]:
    """The caption under the board after each of a game's turns; "" where the ruleset measures nothing."""
    found: list[str] = []
    leader: int | None = None
    since = 0
    for number, turn in enumerate(turns, start=1):
        if measure := turn.get("measure"):
            if measure["leader"] != leader:
                leader, since = measure["leader"], number
            numbers = measured(slug, measure["counts"])
            found.append(gettext("%(measured)s · level") % {"measured": numbers} if leader is None else
                         gettext("%(measured)s · %(colour)s ahead since turn %(turn)s") % {
                             "measured": numbers, "colour": translated(RULESETS[slug].colours[leader]), "turn": since})
        else:
            found.append("")
    return found


def measured(slug: str, counts: Sequence[Sequence[int | None]]) -> str:
    """The numbers with their unit, such as "Stones to connect: 3–5"; only the numbers for a removed ruleset."""
    text = translated(RULESETS[slug].caption) if slug in RULESETS else "%(counts)s"
    return text % {"counts": _listed(counts)}


def _listed(counts: Sequence[Sequence[int | None]]) -> str:
    """The first pairs and all up to the one that decides; large boards have ten, which would not fit."""
    deciding = next((place for place, (first, second) in enumerate(counts, start=1) if first != second), 0)
    shown = counts[:max(_SHOWN, deciding)]
    return ", ".join(map(_pair, shown)) + (", …" if len(shown) < len(counts) else "")


def _pair(counts: Sequence[int | None]) -> str:
    if None not in counts:
        return "–".join(map(str, counts))
    return " – ".join(gettext("cut off") if count is None else str(count) for count in counts)
