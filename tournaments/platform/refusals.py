"""Refusals by the services, and translated sentences with facts in them."""

from typing import Any

from tournaments.platform.text import grouped


class Refused(ValueError):
    """A well-formed request that the service refuses. `str()` is the message, as returned by `stated`."""

    def __init__(self, text: str, **facts: Any) -> None:
        super().__init__(stated(text, **facts) if facts else text)


class Forbidden(Refused):
    """The user does not have permission, regardless of the state of the objects."""


def stated(text: str, **facts: Any) -> str:
    """Return the translated text with the facts filled in for `%(name)s`; whole numbers get thousands separators."""
    return text % {name: grouped(fact) if type(fact) is int else fact for name, fact in facts.items()}
