"""The rules of a game in short, next to its board."""

from typing import Any

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from engines.records.endings import GameEnd
from engines.rules.registry import RULESETS
from frontend.documents import examples
from frontend.drawing import board
from frontend.text.core_words import translated
from frontend.text.endings import sentence

register = template.Library()


@register.inclusion_tag("frontend/shared/_rules.html")
def rules_in_short(slug: str) -> dict[str, Any]:
    """The goal in one line, a picture of a won game, and a link to the rules; nothing for a removed ruleset."""
    if slug not in RULESETS:
        return {}
    ruleset = RULESETS[slug]
    return {"slug": slug, "name": ruleset.name, "goal": translated(ruleset.summary),
            "picture": won_game(slug)}


def won_game(slug: str) -> SafeString:
    """The last position of the short game on the ruleset's page, drawn small."""
    document = examples.short_game(slug)
    names = [translated(player["colour"]).capitalize() for player in document["players"]]
    label = gettext("A finished game: %(ending)s") % {"ending": sentence(GameEnd.of_document(document), names)}
    return board.small(document, board.frame_at(document, len(document["turns"])), label)
