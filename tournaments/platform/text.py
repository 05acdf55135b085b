"""Formatting of numbers, reasons and untrusted text for sentences and terminals."""

from django.utils.formats import number_format


def grouped(number: float) -> str:
    """Return a whole number with thousands separators in the active language: 12,345 in English."""
    return number_format(number, decimal_pos=0, use_l10n=True, force_grouping=True)


def sentence(reason: str) -> str:
    """Return a reason, given in lower case without a full stop, as a sentence."""
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."


def visible(text: str, limit: int | None = None, *, plain: str = "\n") -> str:
    """Return untrusted text, truncated to `limit` characters, with invisible and direction-changing characters escaped.

    Characters in `plain` are kept. HTML is not escaped: templates do that.
    """
    shown = (sign if sign.isprintable() or sign in plain else ascii(sign)[1:-1] for sign in text[:limit])
    return "".join(shown)[:limit]
