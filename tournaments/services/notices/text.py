"""Strangers' text, made fit to store and to show in plain text."""


def visible(text: str, limit: int | None = None) -> str:
    """The text, cut at `limit` characters, with those written out that do not show or that turn others.

    Lines stay lines. HTML is not escaped: templates do that.
    """
    shown = "".join(sign if sign.isprintable() or sign == "\n" else ascii(sign)[1:-1] for sign in text[:limit])
    return shown[:limit]
