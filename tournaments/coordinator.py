"""The coordinator: announces and starts what is due, pairs rounds, rates what is over, feeds the queues, reaps leases.

Run any number of them. It keeps nothing in memory: every step reads the database, and every change is one conditional
UPDATE that one of several coordinators wins. Stop it at any moment, start it anywhere.
"""

import logging
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, InterfaceError, close_old_connections, connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from tournaments.formats import ROUND_BY_ROUND
from tournaments.lifecycle import EventStatus, MatchStatus
from tournaments.models import Event, Match
from tournaments.services.answers import reap_questions
from tournaments.services.archives import remove_orphans
from tournaments.services.casual import end_overdue
from tournaments.services.dispatch import publish_due
from tournaments.services.entries import leave_unfit
from tournaments.services.events import TransitionRefused, finish_event, start_event
from tournaments.services.leases import reap
from tournaments.services.matchmaking import pair_ladders
from tournaments.services.official import compute_due
from tournaments.services.qualification import reap_checks
from tournaments.services.rating import rate_due
from tournaments.services.retention import forget_old
from tournaments.services.rounds import pair_next
from tournaments.services.series import announce_due
from tournaments.services.trial_judging import judge_trials
from tournaments.services.trial_pairing import pair_trials
from tournaments.services.workers import prune
from tournaments.site.clock import shared_now
from tournaments.site.outage import Outage

log = logging.getLogger(__name__)
STEP_SECONDS = 0.5
# Between two steps the queues alone are filled up this often, as long as the workers take so many ids in between.
REFILL_SECONDS = 0.05
REFILL_AT = 8
TIDY_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Step:
    """What one step did, counted."""

    announced: int
    started: int
    reaped: int
    flagged: int
    left: int
    rounds: int
    rated: int
    finished: int
    official: int
    judged: int
    paired: int
    published: int


def step(now: datetime) -> Step:
    """Do everything that is due at `now`, once."""
    prune(now)
    forget_old(now)
    return Step(
        announced=announce_due(now), started=start_due(now), reaped=reap(now) + reap_checks(now) + reap_questions(now),
        flagged=end_overdue(now), left=leave_unfit(now),
        rounds=pair_due(now), rated=rate_due(now), finished=finish_due(now), official=compute_due(now),
        judged=judge_trials(now), paired=pair_ladders(now) + pair_trials(now), published=publish_due(now))


def start_due(now: datetime) -> int:
    """Start the scheduled events whose time has come; returns how many this coordinator started."""
    started = 0
    due = Event.objects.select_related("ladder", "series").filter(status=EventStatus.SCHEDULED, starts_at__lte=now)
    for event in due:
        try:
            start_event(event=event, now=now)
        except TransitionRefused:
            # Another coordinator or the organiser was faster.
            continue
        if event.status == EventStatus.CANCELLED:
            log.info("event %s had too few entrants and is cancelled", event.slug)
            continue
        started += 1
        log.info("event %s started", event.slug)
    return started


def pair_due(now: datetime) -> int:
    """Insert the next round of the running events whose last one is over; returns how many rounds."""
    paired = 0
    for event in _played_out().filter(format__in=ROUND_BY_ROUND):
        if pair_next(event=event, now=now):
            paired += 1
            log.info("event %s goes on", event.slug)
    return paired


def finish_due(now: datetime) -> int:
    """Finish the running events that have nothing left to play or rate; returns how many."""
    finished = 0
    for event in _played_out():
        if finish_event(event=event, now=now):
            finished += 1
            log.info("event %s finished", event.slug)
    return finished


def _played_out() -> QuerySet[Event]:
    """Running events of which no match is open."""
    to_play = Match.objects.filter(event=OuterRef("pk"), status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING])
    return Event.objects.filter(~Exists(to_play), status=EventStatus.RUNNING)


def tidy(now: datetime) -> None:
    """Remove what processes that were killed have left in the archives' storage."""
    try:
        if removed := remove_orphans(now):
            log.warning("%d uploads and builds were cut off before they were recorded, and are removed", removed)
    except Exception:
        # Whatever the storage raises: it is tried again, and nothing depends on it.
        log.exception("what was left in storage cannot be removed")
    finally:
        connection.close()


def run(stop: threading.Event, *, clock: Callable[[], datetime] = shared_now) -> None:
    """Step until `stop` is set. A database that is away is waited for."""
    database = Outage("the database")
    next_tidy = time.monotonic()
    while not stop.is_set():
        if time.monotonic() >= next_tidy:
            # A large store is slow to list, and the queues do not wait.
            threading.Thread(target=tidy, args=(timezone.now(),), name="tidy", daemon=True).start()
            next_tidy += TIDY_SECONDS
        close_old_connections()
        # The jitter keeps several coordinators from stepping together.
        pause = STEP_SECONDS * random.uniform(0.8, 1.2)  # noqa: S311 - not for secrets
        next_step = time.monotonic() + pause
        try:
            published = step(clock()).published
            while published >= REFILL_AT and time.monotonic() < next_step and not stop.wait(REFILL_SECONDS):
                published = publish_due(clock())
            database.over()
        except (DatabaseError, InterfaceError) as error:
            # Nothing half-done remains: each verb is a transaction. The next step does it again.
            database.met(error, "the coordinator waits")
        stop.wait(max(0.0, next_step - time.monotonic()))
