"""Page parts shared by many templates: heads, cards, tables, facts, and buttons that post."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def page_head(heading: str) -> SafeString:
    """The head of a page, containing only a heading."""
    return format_html('<div class="head"><div><h1>{}</h1></div></div>', heading)


@register.simple_tag(takes_context=True)
def polled(context: template.Context, name: str, *arguments: object, when: object = True, every: int = 2,
           **query: object) -> SafeString:
    """Attributes of an element that live.js redraws every so many seconds from the URL of this name, if `when` holds.

    `query` are parameters of the URL; those without a value are omitted. The context has the `etag`.
    """
    etag = format_html('data-etag="{}"', context["etag"])
    if not when:
        return etag
    address = reverse(name, args=arguments, query={key: value for key, value in query.items() if value})
    return format_html('data-live="{}" data-every="{}" {}', address, every, etag)


@register.simple_block_tag
def card(content: str, heading: str, remark: str = "") -> SafeString:
    """A card with a heading and, next to it, a remark in smaller type."""
    small = format_html('<span class="small muted">{}</span>', remark) if remark else ""
    return format_html('<section class="card"><header><h2>{}</h2>{}</header>{}</section>', heading, small, content)


@register.simple_block_tag
def scrolling_table(content: str, label: str) -> SafeString:
    """A table that scrolls inside its own box if it is wider than the page."""
    return format_html(
        '<div class="scroll" role="region" aria-label="{}" tabindex="0"><table>{}</table></div>', label, content)


@register.simple_tag
def fact(name: str, value: object) -> SafeString:
    """A name and its value, for a `<dl class="facts">`."""
    return format_html("<div><dt>{}</dt><dd>{}</dd></div>", name, value)


@register.simple_tag(takes_context=True)
def post_button(context: template.Context, name: str, *arguments: object, words: str, label: str = "") -> SafeString:
    """A button that posts to the URL of this name. `label` is a longer description for screen readers."""
    return format_html(
        '<form method="post" action="{}"><input type="hidden" name="csrfmiddlewaretoken" value="{}">'
        '<button class="button"{}>{}</button></form>',
        reverse(name, args=arguments), context["csrf_token"], format_html(' aria-label="{}"', label) if label else "",
        words)
