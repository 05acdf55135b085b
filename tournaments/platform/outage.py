"""Saying once that something is away, and once that it is back, instead of at every try."""

import logging

log = logging.getLogger(__name__)


class Outage:
    """Whether `what` was away at the last try."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.lasts = False

    def met(self, error: Exception, consequence: str) -> None:
        """A try failed."""
        if not self.lasts:
            log.warning("%s is away, %s: %s: %s", self.what, consequence, type(error).__name__, error)
        self.lasts = True

    def over(self) -> None:
        """A try succeeded."""
        if self.lasts:
            log.warning("%s is back", self.what)
        self.lasts = False
