"""Results of finished games, which readers can hide."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from frontend.text.spoilers import HIDDEN, are_hidden

register = template.Library()


@register.simple_block_tag
def spoiler(content: str, instead: str | None = None) -> str:
    """The content, or other words where the reader hides results; "Result hidden" by default."""
    if not are_hidden():
        return content
    return gettext("Result hidden") if instead is None else instead


@register.simple_tag
def results_hidden() -> bool:
    """Whether the page hides results, for the scripts that show the rest of a game."""
    return are_hidden()


@register.simple_tag
def reveal_link() -> SafeString:
    """A sentence and a link instead of the hidden parts of a game's page."""
    return format_html('<p class="small reveal">{} <a href="?result=1">{}</a></p>',
                       gettext("The result appears at the end of the game."), gettext("Show the result"))


@register.simple_tag
def results_switch() -> SafeString:
    """The button with which a list hides or shows the results of its games."""
    words, choice = (gettext("Show results"), "") if are_hidden() else (gettext("Hide results"), HIDDEN)
    return format_html('<form class="switch" method="post" action="{}"><button class="small" name="results" '
                       'value="{}">{}</button></form>', reverse("results"), choice, words)
