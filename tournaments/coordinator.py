"""The coordinator: starts what is due, rates what is over, feeds the queues, reaps lost leases. Run any number of them.

It keeps nothing in memory: every step reads the database, and every change is one conditional UPDATE that one of
several coordinators wins. Stop it at any moment, start it anywhere.
"""

import logging
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, InterfaceError, close_old_connections
from django.utils import timezone

from tournaments.lifecycle import EventStatus, MatchStatus
from tournaments.models import Event, Match
from tournaments.outage import Outage
from tournaments.services.dispatch import publish_due
from tournaments.services.events import TransitionRefused, finish_event, start_event
from tournaments.services.leases import reap
from tournaments.services.qualification import reap_checks
from tournaments.services.rating import rate_due

log = logging.getLogger(__name__)
STEP_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Step:
    """What one step did, counted."""

    started: int
    reaped: int
    rated: int
    finished: int
    published: int


def step(now: datetime) -> Step:
    """Do everything that is due at `now`, once."""
    return Step(
        started=start_due(now), reaped=reap(now) + reap_checks(now), rated=rate_due(now), finished=finish_due(now),
        published=publish_due(now))


def start_due(now: datetime) -> int:
    """Start the scheduled events whose time has come; returns how many this coordinator started."""
    started = 0
    for event in Event.objects.select_related("ladder").filter(status=EventStatus.SCHEDULED, starts_at__lte=now):
        try:
            start_event(event=event, now=now)
        except TransitionRefused:
            # Another coordinator or the organiser was faster.
            continue
        started += 1
        log.info("event %s started", event.slug)
    return started


def finish_due(now: datetime) -> int:
    """Finish the running events that have nothing left to play or rate; returns how many."""
    going_on = Match.objects.filter(status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING]).values("event")
    finished = 0
    for event in Event.objects.filter(status=EventStatus.RUNNING).exclude(pk__in=going_on):
        if finish_event(event=event, now=now):
            finished += 1
            log.info("event %s finished", event.slug)
    return finished


def run(stop: threading.Event, *, clock: Callable[[], datetime] = timezone.now) -> None:
    """Step until `stop` is set. A database that is away is waited for."""
    database = Outage("the database")
    while not stop.is_set():
        close_old_connections()
        try:
            step(clock())
            database.over()
        except (DatabaseError, InterfaceError) as error:
            # Nothing half-done remains: each verb is a transaction. The next step does it again.
            database.met(error, "the coordinator waits")
        # The jitter keeps several coordinators from stepping together.
        stop.wait(STEP_SECONDS * random.uniform(0.8, 1.2))  # noqa: S311 - not for secrets
