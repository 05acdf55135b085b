"""Numbers and words in addresses and forms, which are typed by people and made up by others."""

from django.http import HttpRequest

_DIGITS = 12
_LONGEST_TEXT = 80
# Of an id: so many always fit a database integer.
_DIGITS_OF_ID = 18


def whole_number(text: str, digits: int = _DIGITS) -> int | None:
    """The whole number that this is, or None; of more digits than these it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def number_in(request: HttpRequest, name: str) -> int | None:
    """The whole number under this name in the query, or None."""
    return whole_number(request.GET.get(name, ""))


def posted_id(request: HttpRequest, name: str) -> int:
    """The id under this name in a form; 0, which is no row's, where there is none."""
    return whole_number(request.POST.get(name, ""), _DIGITS_OF_ID) or 0


def text_in(request: HttpRequest, name: str) -> str:
    """The words under this name in the query, cut; "" also for what the database could not hold."""
    text = request.GET.get(name, "").strip()[:_LONGEST_TEXT]
    return "" if "\x00" in text else text
