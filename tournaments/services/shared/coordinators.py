"""Coordinators: each records its passes, so that metrics and staff see whether one lives."""

import os
import socket
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from tournaments.models import Coordinator
from tournaments.operations.workers import COORDINATOR_SEEN

FORGOTTEN_AFTER: Final = timedelta(days=1)


class Passes:
    """The passes of this process's coordinator, of which some are recorded."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._monotonic, self._recorded_at = monotonic, -float("inf")

    def record(self, now: datetime) -> None:
        """Record a pass that has ended, unless one was recorded a moment ago."""
        if self._monotonic() < self._recorded_at + COORDINATOR_SEEN.total_seconds() / 6:
            return
        # An upsert, which also waits for no lock of another transaction but one on this row.
        Coordinator.objects.bulk_create([Coordinator(name=self._name, seen_at=now)], update_conflicts=True,
                                        unique_fields=["name"], update_fields=["seen_at"])
        self._recorded_at = self._monotonic()

    def end(self) -> None:
        """Record that the coordinator stops."""
        Coordinator.objects.filter(name=self._name).delete()


def forget(now: datetime) -> int:
    """Delete the coordinators that have made no pass for a day; return how many."""
    return Coordinator.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()[0]
