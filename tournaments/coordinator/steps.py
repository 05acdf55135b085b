"""The coordinator's steps, in order, and one pass through those that are due."""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from tournaments.formats.registry import CONTINUOUS, ROUND_BY_ROUND
from tournaments.models import Event, Match
from tournaments.models.lifecycle import EventStatus, MatchStatus
from tournaments.services.bots import qualification
from tournaments.services.casual import answers, judging
from tournaments.services.casual.games import end_overdue
from tournaments.services.dispatch import publish_due
from tournaments.services.events.entries import withdraw_ineligible
from tournaments.services.events.events import TransitionRefused, finish_event, start_event
from tournaments.services.events.rounds import pair_next, pair_wave
from tournaments.services.events.series import announce_due
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.openings import count_due
from tournaments.services.ladders.rating import rate_due
from tournaments.services.ladders.stories import find_stories
from tournaments.services.ladders.trial_judging import judge_trials
from tournaments.services.ladders.trial_pairing import pair_trials
from tournaments.services.matches import matches, standstill
from tournaments.services.matches.silence import end_leases_of_silent_workers
from tournaments.services.matches.workers import prune
from tournaments.services.notices.digests import tell_followers
from tournaments.services.shared.failures import each, run_steps
from tournaments.services.shared.retention import delete_expired
from tournaments.services.shared.wakeups import Step

log = logging.getLogger(__name__)


def start_due(now: datetime) -> int:
    """Start the scheduled events whose time has come. Return how many this coordinator started."""
    due = Event.objects.select_related("ladder", "series").filter(status=EventStatus.SCHEDULED, starts_at__lte=now)
    return each("start events", due, partial(_start, now=now), now=now)


def pair_due(now: datetime) -> int:
    """Insert the next round of the running events whose last round is over, and waves. Return the number of rounds."""
    over = _played_out().filter(format__in=ROUND_BY_ROUND).exclude(format__in=CONTINUOUS)
    continuous = Event.objects.filter(status=EventStatus.RUNNING, format__in=CONTINUOUS)
    return (each("pair rounds", over, partial(_pair, now=now), now=now)
            + each("pair waves", continuous, partial(_pair_wave, now=now), now=now))


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


def _pair_wave(event: Event, *, now: datetime) -> bool:
    return pair_wave(event=event, now=now)


def _finish(event: Event, *, now: datetime) -> bool:
    finished = finish_event(event=event, now=now)
    if finished:
        log.info("event %s finished", event.slug)
    return finished


def _played_out() -> QuerySet[Event]:
    """Return the running events that have no open match."""
    to_play = Match.objects.filter(event=OuterRef("pk"), status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING])
    return Event.objects.filter(~Exists(to_play), status=EventStatus.RUNNING)


# The coordinator's steps, in the order of `Step`.
STEPS: Final[Sequence[tuple[str, Callable[[datetime], int]]]] = (
    (Step.FORGET_WORKERS, prune),
    (Step.DELETE_OLD_ROWS, delete_expired),
    (Step.ANNOUNCE_EVENTS, announce_due),
    (Step.START_EVENTS, start_due),
    (Step.MISS_HEARTBEATS, end_leases_of_silent_workers),
    (Step.REAP_MATCHES, matches.reap),
    (Step.REAP_CHECKS, qualification.reap),
    (Step.REAP_QUESTIONS, answers.reap),
    (Step.REAP_ANALYSES, judging.reap),
    (Step.END_CASUAL_GAMES, end_overdue),
    (Step.WITHDRAW_ENTRIES, withdraw_ineligible),
    (Step.PAIR_ROUNDS, pair_due),
    (Step.RATE_LADDERS, rate_due),
    (Step.FINISH_EVENTS, finish_due),
    (Step.COMPUTE_RATINGS, compute_due),
    (Step.JUDGE_TRIALS, judge_trials),
    (Step.PAIR_LADDERS, pair_ladders),
    (Step.PAIR_TRIALS, pair_trials),
    (Step.WATCH_FOR_STANDSTILLS, standstill.watch),
    (Step.TELL_FOLLOWERS, tell_followers),
    (Step.PUBLISH, publish_due),
    (Step.FIND_STORIES, find_stories),
    # Last, because nothing waits for it.
    (Step.COUNT_OPENINGS, count_due),
)


def step(now: datetime, due: set[str] | None = None) -> dict[str, int]:
    """Run the due steps once for `now`, or all; return the count that each of them reports.

    A step is removed from `due` when it begins. One that is added in the meantime runs too, if it comes later in order;
    otherwise it stays there.
    """
    return run_steps(STEPS if due is None else _remaining(due), now)


def _remaining(due: set[str]) -> Iterator[tuple[str, Callable[[datetime], int]]]:
    for name, act in STEPS:
        if name in due:
            due.discard(name)
            yield name, act
