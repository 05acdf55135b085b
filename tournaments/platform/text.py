"""Numbers, reasons and other people's text, as sentences and terminals take them."""

from django.utils.formats import number_format


def grouped(number: float) -> str:
    """A whole number with its thousands apart, as the language writes them: 12,345 in English."""
    return number_format(number, decimal_pos=0, use_l10n=True, force_grouping=True)


def sentence(reason: str) -> str:
    """A reason, in lower case and without a full stop, as a sentence of its own."""
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."


def visible(text: str, limit: int | None = None, *, plain: str = "\n") -> str:
    """Untrusted text, cut at `limit` characters, with those written out that do not show or that turn others.

    Those in `plain` stay as they are. HTML is not escaped: templates do that.
    """
    shown = (sign if sign.isprintable() or sign in plain else ascii(sign)[1:-1] for sign in text[:limit])
    return "".join(shown)[:limit]
