"""When steps are next due by the database alone: one statement, which reads one entry of an index for each cause.

It is text because it runs at every look of an idle coordinator, and the ORM would take longer than the database.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import connection
from django.db.models import Model

from ratings.models import Statistics
from tournaments.models import (
    Analysis,
    CasualGame,
    Delivery,
    Event,
    Failure,
    LadderEntry,
    Match,
    Question,
    Standstill,
    Submission,
    Worker,
)
from tournaments.services.casual.answers import LONGEST_WAIT
from tournaments.services.ladders.rating import LONGEST_PERIOD
from tournaments.services.matches.silence import last_call
from tournaments.services.shared.wakeups import Step

# While matches wait for room on a queue: IDs may leave it without a match, which wakes no coordinator.
REFILL: Final = timedelta(seconds=1)
# Steps under which `each` records failures of parts of a step.
_PARTS: Final = {"pair waves": Step.PAIR_ROUNDS, "end trials": Step.JUDGE_TRIALS}


def _at_once() -> timedelta:
    return timedelta(0)


def _republished() -> timedelta:
    return timedelta(seconds=settings.REPUBLISH_SECONDS)


@dataclass(frozen=True, slots=True)
class _Cause:
    """Rows that make a step due: at their time in `column`, `after` later."""

    step: Step
    model: type[Model]
    column: str
    where: str
    after: Callable[[], timedelta] = _at_once


_QUEUED: Final = "status = 'queued' AND NOT held"
_CAUSES: Final = (
    _Cause(Step.ANNOUNCE_EVENTS, Event, "starts_at", "status = 'scheduled'"),
    _Cause(Step.START_EVENTS, Event, "starts_at", "status = 'scheduled'"),
    _Cause(Step.MISS_HEARTBEATS, Worker, "beat_by", "stopped_at IS NULL AND overdue_since IS NULL"),
    _Cause(Step.MISS_HEARTBEATS, Worker, "overdue_since", "stopped_at IS NULL", last_call),
    _Cause(Step.REAP_MATCHES, Match, "lease_until", "status = 'running'"),
    _Cause(Step.REAP_CHECKS, Submission, "lease_until", "status = 'checking'"),
    _Cause(Step.REAP_QUESTIONS, Question, "lease_until", "status = 'asking'"),
    _Cause(Step.REAP_QUESTIONS, Question, "created_at", "status = 'received'", lambda: LONGEST_WAIT),
    _Cause(Step.REAP_ANALYSES, Analysis, "lease_until", "status = 'judging'"),
    _Cause(Step.END_CASUAL_GAMES, CasualGame, "deadline_at", "status = 'playing'"),
    _Cause(Step.RATE_LADDERS, Match, "ended_at",
           "status = 'finished' AND rated AND rating_period IS NULL AND round_id IS NULL", lambda: LONGEST_PERIOD),
    _Cause(Step.COMPUTE_RATINGS, Statistics, "due_at", "due_at IS NOT NULL"),
    _Cause(Step.PAIR_LADDERS, LadderEntry, "probe_at", "active AND probe_at IS NOT NULL"),
    _Cause(Step.WATCH_FOR_STANDSTILLS, Worker, "seen_at", "stopped_at IS NULL",
           lambda: timedelta(seconds=settings.WORKER_SEEN_SECONDS)),
    _Cause(Step.WATCH_FOR_STANDSTILLS, Standstill, "began_at", "ended_at IS NULL AND alarmed_at IS NULL",
           lambda: timedelta(seconds=settings.STANDSTILL_SECONDS)),
    _Cause(Step.PUBLISH, Match, "due_at", f"{_QUEUED} AND due_at IS NOT NULL"),
    _Cause(Step.PUBLISH, Submission, "due_at", "status = 'received'"),
    _Cause(Step.PUBLISH, Question, "due_at", "status = 'received'"),
    _Cause(Step.PUBLISH, Analysis, "due_at", "status = 'received'"),
    _Cause(Step.PUBLISH, Match, "published_at", _QUEUED, _republished),
    _Cause(Step.PUBLISH, Submission, "published_at", "status = 'received'", _republished),
    _Cause(Step.PUBLISH, Question, "published_at", "status = 'received'", _republished),
    _Cause(Step.PUBLISH, Analysis, "published_at", "status = 'received'", _republished),
    _Cause(Step.SEND_NOTICES, Delivery, "due_at", "status = 'pending'"),
)


# Whether a match waits that could be published now, by the time of its creation.
_MATCH: Final = Match._meta.db_table  # noqa: SLF001 - documented Django API
_WAITING: Final = (f"SELECT created_at FROM {_MATCH} WHERE {_QUEUED} AND published_at IS NULL "  # noqa: S608
                   "AND (due_at IS NULL OR due_at <= %s) LIMIT 1")
_TIMES: Final = " UNION ALL ".join([
    *(f"SELECT {number}, min({cause.column}) FROM {cause.model._meta.db_table} "  # noqa: S608, SLF001 - own names
      f"WHERE {cause.where} AND {cause.column} > %s" for number, cause in enumerate(_CAUSES)),
    f"SELECT {len(_CAUSES)}, min(created_at) FROM ({_WAITING}) AS waiting"])  # noqa: S608 - as above


def next_times(now: datetime) -> dict[str, datetime]:
    """Return the next time after `now` at which each step is due; steps that only a wake-up makes due are left out.

    Work that was due by `now` has been handled, or has failed and waits for its retry, which counts.
    """
    waits = [cause.after() for cause in _CAUSES]
    found: dict[str, datetime] = {}

    def note(step: str, at: datetime) -> None:
        found[step] = min(at, found.get(step, at))

    with connection.cursor() as cursor:
        cursor.execute(_TIMES, [connection.ops.adapt_datetimefield_value(now - wait) for wait in (*waits, _at_once())])
        for number, at in cursor.fetchall():
            if at is not None and number == len(_CAUSES):
                note(Step.PUBLISH, now + REFILL)
            elif at is not None:
                note(_CAUSES[number].step, _aware(at) + waits[number])
    for row in Failure.objects.filter(due_at__gt=now):
        note(_PARTS.get(row.step, row.step), row.due_at)
    return found


def _aware(value: datetime | str) -> datetime:
    """Return the time; SQLite has it as text, without a zone."""
    return datetime.fromisoformat(value).replace(tzinfo=UTC) if isinstance(value, str) else value
