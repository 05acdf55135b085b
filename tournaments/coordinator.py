"""The coordinator: announces and starts events, pairs rounds, rates games, fills the queues, reaps expired leases.

Any number can run at a time. A coordinator keeps nothing in memory: every step reads the database, and every change is
one conditional UPDATE, which succeeds in only one of several coordinators. You can stop it at any moment, and start it
on any machine.
"""

import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from django.db import DatabaseError, InterfaceError, close_old_connections, connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from tournaments.formats.registry import ROUND_BY_ROUND
from tournaments.models import Event, Match
from tournaments.models.lifecycle import EventStatus, MatchStatus
from tournaments.platform import heartbeat_file
from tournaments.platform.clock import shared_now
from tournaments.platform.outage import Outage
from tournaments.services.bots import qualification
from tournaments.services.bots.archives import remove_orphans
from tournaments.services.casual import answers
from tournaments.services.casual.games import end_overdue
from tournaments.services.casual.retention import delete_expired
from tournaments.services.dispatch import publish_due
from tournaments.services.events.entries import withdraw_ineligible
from tournaments.services.events.events import TransitionRefused, finish_event, start_event
from tournaments.services.events.rounds import pair_next
from tournaments.services.events.series import announce_due
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.rating import rate_due
from tournaments.services.ladders.trial_judging import judge_trials
from tournaments.services.ladders.trial_pairing import pair_trials
from tournaments.services.matches import matches, standstill
from tournaments.services.matches.workers import prune
from tournaments.services.shared.failures import each, run_steps

log = logging.getLogger(__name__)
STEP_SECONDS = 0.5
# Between two steps, only the queues are refilled, every REFILL_SECONDS, as long as each refill publishes at least
# REFILL_AT IDs.
REFILL_SECONDS = 0.05
REFILL_AT = 8
TIDY_SECONDS = 3600.0


def start_due(now: datetime) -> int:
    """Start the scheduled events whose time has come. Return how many this coordinator started."""
    due = Event.objects.select_related("ladder", "series").filter(status=EventStatus.SCHEDULED, starts_at__lte=now)
    return each("start events", due, partial(_start, now=now), now=now)


def pair_due(now: datetime) -> int:
    """Insert the next round of the running events whose last round is over. Return the number of rounds."""
    return each("pair rounds", _played_out().filter(format__in=ROUND_BY_ROUND), partial(_pair, now=now), now=now)


def finish_due(now: datetime) -> int:
    """Finish the running events that have nothing left to play or rate. Return their number."""
    return each("finish events", _played_out(), partial(_finish, now=now), now=now)


def _start(event: Event, *, now: datetime) -> bool:
    try:
        start_event(event=event, now=now)
    except TransitionRefused:
        # Another coordinator or the organiser was faster.
        return False
    if event.status == EventStatus.CANCELLED:
        log.info("event %s cancelled: too few entrants", event.slug)
        return False
    log.info("event %s started", event.slug)
    return True


def _pair(event: Event, *, now: datetime) -> bool:
    paired = pair_next(event=event, now=now)
    if paired:
        log.info("event %s: next round paired", event.slug)
    return paired


def _finish(event: Event, *, now: datetime) -> bool:
    finished = finish_event(event=event, now=now)
    if finished:
        log.info("event %s finished", event.slug)
    return finished


def _played_out() -> QuerySet[Event]:
    """Return the running events that have no open match."""
    to_play = Match.objects.filter(event=OuterRef("pk"), status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING])
    return Event.objects.filter(~Exists(to_play), status=EventStatus.RUNNING)


# The coordinator's steps, in order. The steps that create matches precede the one that fills the queues.
STEPS: Final[Sequence[tuple[str, Callable[[datetime], int]]]] = (
    ("forget workers", prune),
    ("forget casual games", delete_expired),
    ("announce events", announce_due),
    ("start events", start_due),
    ("reap matches", matches.reap),
    ("reap checks", qualification.reap),
    ("reap questions", answers.reap),
    ("end casual games", end_overdue),
    ("withdraw entries", withdraw_ineligible),
    ("pair rounds", pair_due),
    ("rate ladders", rate_due),
    ("finish events", finish_due),
    ("compute official tables", compute_due),
    ("judge trials", judge_trials),
    ("pair ladders", pair_ladders),
    ("pair trials", pair_trials),
    ("watch for standstills", standstill.watch),
    ("publish", publish_due),
)
PUBLISHING: Final = STEPS[-1:]


def step(now: datetime) -> dict[str, int]:
    """Run all steps once for `now`. Return the count that each step reports."""
    return run_steps(STEPS, now)


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


def run(stop: threading.Event, *, clock: Callable[[], datetime] = shared_now) -> None:
    """Run steps until `stop` is set. Wait while the database is unreachable; handle other errors per step or item."""
    database = Outage("the database")
    next_tidy = time.monotonic()
    while not stop.is_set():
        if time.monotonic() >= next_tidy:
            # In its own thread, because a large store is slow to list and the queues must not wait.
            threading.Thread(target=tidy, args=(timezone.now(),), name="tidy", daemon=True).start()
            next_tidy += TIDY_SECONDS
        close_old_connections()
        # The jitter keeps several coordinators from stepping together.
        pause = STEP_SECONDS * random.uniform(0.8, 1.2)  # noqa: S311 - not for secrets
        next_step = time.monotonic() + pause
        try:
            done = step(clock())
            while done["publish"] >= REFILL_AT and time.monotonic() < next_step and not stop.wait(REFILL_SECONDS):
                done = run_steps(PUBLISHING, clock())
            database.over()
            heartbeat_file.beat()
        except (DatabaseError, InterfaceError) as error:
            # Each verb is a transaction, so nothing is left half done. The next step retries.
            database.met(error, "coordinator paused")
        stop.wait(max(0.0, next_step - time.monotonic()))
