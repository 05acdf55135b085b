"""Numbers and words in addresses, which are typed by people and made up by others."""

from django.http import HttpRequest

_DIGITS = 12
_LONGEST_TEXT = 80


def number_in(request: HttpRequest, name: str) -> int | None:
    """The whole number under this name in the query, or None."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def text_in(request: HttpRequest, name: str) -> str:
    """The words under this name in the query, cut; "" also for what the database could not hold."""
    text = request.GET.get(name, "").strip()[:_LONGEST_TEXT]
    return "" if "\x00" in text else text
