"""What every verb of the service raises when it will not do what it was asked, and sentences with facts in them."""

from typing import Any

from tournaments.platform.text import grouped


class Refused(ValueError):
    """A request that makes sense to the code but not to the service. `str()` is the sentence, as `stated` makes it."""

    def __init__(self, text: str, **facts: Any) -> None:
        super().__init__(stated(text, **facts) if facts else text)


class Forbidden(Refused):
    """Somebody may not do this, whatever the state of things."""


def stated(text: str, **facts: Any) -> str:
    """The text, translated already, with these facts for `%(name)s`; whole numbers have their thousands apart."""
    return text % {name: grouped(fact) if type(fact) is int else fact for name, fact in facts.items()}
