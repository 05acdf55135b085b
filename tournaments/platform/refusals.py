"""What every verb of the service raises when it will not do what it was asked."""

from typing import Any

from tournaments.platform.numbers import grouped


class Refused(ValueError):
    """A request that makes sense to the code but not to the service. `str()` is the sentence to show.

    `text` is translated already; it names its facts as `%(name)s`. Whole numbers among them are written with their
    thousands apart.
    """

    def __init__(self, text: str, **facts: Any) -> None:
        if facts:
            text %= {name: grouped(fact) if type(fact) is int else fact for name, fact in facts.items()}
        super().__init__(text)


class Forbidden(Refused):
    """Somebody may not do this, whatever the state of things."""
