"""Text for a page's head: its title and description, for tabs, search engines and link previews."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from frontend.templatetags.squarefield import visible

register = template.Library()


@register.simple_block_tag
def for_head(content: str) -> SafeString:
    """A block's text on one line, without invisible characters, and safe in an attribute."""
    return mark_safe(" ".join(visible(content).split()).replace('"', "&quot;"))  # noqa: S308 — escaped by the template
