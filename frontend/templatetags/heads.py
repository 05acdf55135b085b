"""What a page's head says in several places.

The title for the tab, the description for search engines, and both for other sites, which show them next to a link.
"""

from django import template
from django.utils.safestring import SafeString, mark_safe

from frontend.templatetags.squarefield import visible

register = template.Library()


@register.simple_block_tag
def for_head(content: str) -> SafeString:
    """A block's text on one line, with nothing in it that does not show, and safe in an attribute."""
    return mark_safe(" ".join(visible(content).split()).replace('"', "&quot;"))  # noqa: S308 — escaped by the template
