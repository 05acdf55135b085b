"""Numbers in addresses."""

from django.http import HttpRequest

_DIGITS = 12


def number_in(request: HttpRequest, name: str) -> int | None:
    """The whole number under this name in the query, or None: addresses are typed by people."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None
