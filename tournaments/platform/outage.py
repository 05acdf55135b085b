"""Logging of outages: once when a service becomes unavailable and once when it is back, not at every try."""

import logging

log = logging.getLogger(__name__)


class Outage:
    """State of the service `what`: whether the last try failed."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.lasts = False

    def met(self, error: Exception, consequence: str) -> None:
        """Record a failed try, and log the first one."""
        if not self.lasts:
            log.warning("%s is unavailable, %s: %s: %s", self.what, consequence, type(error).__name__, error)
        self.lasts = True

    def over(self) -> None:
        """Record a successful try, and log the end of an outage."""
        if self.lasts:
            log.warning("%s is available again", self.what)
        self.lasts = False
