"""Read numbers and text from queries and forms, which are untrusted input."""

from django.http import HttpRequest

_DIGITS = 12
_LONGEST_TEXT = 80
_SMALL_DIGITS = 9
# Maximum digits of an ID: any such number fits a database integer.
_DIGITS_OF_ID = 18


def whole_number(text: str, digits: int = _DIGITS) -> int | None:
    """Parse a whole number. None if the text is not one, or has more than `digits` digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def number_in(request: HttpRequest, name: str) -> int | None:
    """The whole number of this name in the query, or None."""
    return whole_number(request.GET.get(name, ""))


def posted_id(request: HttpRequest, name: str) -> int:
    """The ID of this name in a form, or 0, which no row has."""
    return whole_number(request.POST.get(name, ""), _DIGITS_OF_ID) or 0


def posted_number(request: HttpRequest, name: str) -> int:
    """The whole number of this name in a form, or 0."""
    return whole_number(request.POST.get(name, ""), _SMALL_DIGITS) or 0


def text_in(request: HttpRequest, name: str) -> str:
    """The text of this name in the query, truncated; "" if it is missing or the database could not store it."""
    text = request.GET.get(name, "").strip()[:_LONGEST_TEXT]
    return "" if "\x00" in text else text
