"""The coordinator's loop: it sleeps until a step is due or a verb wakes it, and runs the steps that are due."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Final

from django.db import DatabaseError, InterfaceError, close_old_connections, connection
from django.utils import timezone

from tournaments.coordinator import steps
from tournaments.coordinator.agenda import Agenda
from tournaments.platform import heartbeat_file
from tournaments.platform.clock import shared_now
from tournaments.platform.messaging.wakeup_set import ALL, Receiver
from tournaments.platform.outage import Outage
from tournaments.services.bots.archives import remove_orphans
from tournaments.services.notices.sender import NoticeSender
from tournaments.services.shared.coordinators import Passes
from tournaments.services.shared.failures import run_steps
from tournaments.services.shared.wakeups import Step, collecting

log = logging.getLogger(__name__)
# Rest after a pass, in multiples of its own time, with the least and the most in seconds. So the ends of many matches
# cost one pass, and passes that wait for a busy database do not add to its load.
RESTS: Final = 4
REST_SECONDS: Final = (0.03, 0.1)
# Pause while the database is unreachable.
_OUTAGE_SECONDS: Final = 0.5
TIDY_SECONDS: Final = 3600.0


def run(stop: threading.Event, *, clock: Callable[[], datetime] = shared_now, sender: NoticeSender | None = None,
        ) -> None:
    """Run steps when they are due until `stop` is set. `sender` sends the notices.

    Wait while the database is unreachable; handle other errors per step or item.
    """
    database, agenda, passes, next_tidy = Outage("the database"), Agenda(), Passes(), time.monotonic()
    with Receiver(stop) as receiver:
        while not stop.is_set():
            if time.monotonic() >= next_tidy:
                # In its own thread, because a large store is slow to list and the queues must not wait.
                threading.Thread(target=tidy, args=(timezone.now(),), name="tidy", daemon=True).start()
                next_tidy += TIDY_SECONDS
            began = time.monotonic()
            try:
                look(agenda, clock, sender)
                passes.record(shared_now())
                database.over()
                heartbeat_file.beat()
            except (DatabaseError, InterfaceError) as error:
                # Each verb is a transaction, so nothing is left half done. The next pass retries.
                database.met(error, "coordinator paused")
                agenda.wake({ALL})
                stop.wait(_OUTAGE_SECONDS)
            rested_at = rest_after(began, time.monotonic())
            while not stop.is_set() and (seconds := agenda.seconds()):
                agenda.wake(receiver.wait(seconds))
            if (rest := rested_at - time.monotonic()) > 0 and not stop.wait(rest):
                agenda.wake(receiver.rest())
    with suppress(DatabaseError, InterfaceError):
        passes.end()


def rest_after(began: float, ended: float) -> float:
    """Return when the next pass may begin, after one between these moments; all in seconds of one clock."""
    least, most = REST_SECONDS
    return ended + min(most, max(least, RESTS * (ended - began)))


def look(agenda: Agenda, clock: Callable[[], datetime], sender: NoticeSender | None = None) -> dict[str, int]:
    """Run the steps that are due, and those that they wake; return the count that each reports."""
    close_old_connections()
    began, now, due, done = time.monotonic(), clock(), agenda.due(), {}
    if due:
        with collecting(due):
            done = steps.step(now, due)
        if Step.SEND_NOTICES in due:
            due.discard(Step.SEND_NOTICES)
            done |= run_steps([(Step.SEND_NOTICES, sender.look if sender else _none)], now)
        agenda.ran(done)
        agenda.wake(due)
    agenda.look_ahead(now, began)
    return done


def _none(_: datetime) -> int:
    return 0


def tidy(now: datetime) -> None:
    """Remove files that killed processes have left in the archive storage."""
    try:
        if removed := remove_orphans(now):
            log.warning("removed %d uploads and builds that were stored but never recorded", removed)
    except Exception:
        # The storage may raise anything. Nothing depends on this, and it is retried.
        log.exception("removal of unrecorded files from storage failed")
    finally:
        connection.close()
