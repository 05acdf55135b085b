"""Counts over the whole service, for operators. They come from the database, so every process gives the same answer.

Every query uses an index of open rows, or reads only the newest rows, so that it takes no longer with a million
matches. The queue is counted with `match_queued`.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Max, Min

from tournaments.models import Analysis, Attempt, Check, FailedTries, Failure, Game, Match, Question, Submission
from tournaments.models.lifecycle import ANALYSIS_OPEN, QUESTION_OPEN, AttemptStatus, MatchStatus, SubmissionStatus
from tournaments.operations.workers import alarms, coordinators, fleet

VOID_OVER: Final = timedelta(hours=1)
LATENCY_OVER: Final = timedelta(minutes=15)
# Maximum number of recent matches that are read.
LATENCY_SAMPLE: Final = 1000

# Beginnings of the reasons for void attempts and checks, as the code writes them.
REASONS: Final = {
    "the host was starved": "starved",
    "the sandbox failed": "sandbox",
    "the worker failed": "worker",
    "the lease of": "lease",
    "the lease was lost": "lease",
    "the event was cancelled": "cancelled",
    "the trial is over": "cancelled",
    "the candidate is out": "cancelled",
    "the selection is over": "cancelled",
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """The number of waiting matches of a ruleset and kind, and the pairing time of the oldest."""

    number: int
    oldest: datetime


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The service at one moment. Latencies are in seconds, sorted.

    Keys of the match tables are (ruleset, kind), those of `slots` (ruleset, tier), and those of `standstills`, which
    has the time of their beginning, (queue, reason).
    """

    queued: dict[tuple[str, str], Waiting]
    running: dict[tuple[str, str], int]
    held: int
    games: int
    voids: dict[str, int]
    submissions: dict[str, int]
    questions: dict[str, int]
    analyses: dict[str, int]
    coordinators: int
    workers: dict[str, int]
    slots: dict[tuple[str, str], int]
    standstills: dict[tuple[str, str], datetime]
    failing: dict[str, int]
    failed_tries: dict[str, int]
    latencies: list[float] = field(default_factory=list)
    plays: list[float] = field(default_factory=list)


def snapshot(now: datetime) -> Snapshot:
    """Return the state of the service at `now`."""
    latencies, plays = _latencies(now)
    workers = fleet(now)
    states: Counter[str] = Counter()
    for crew in workers.crews:
        states["draining" if crew.draining else "online"] += crew.workers
    return Snapshot(
        queued=_queued(), running=_running(), held=Match.objects.filter(status=MatchStatus.QUEUED, held=True).count(),
        # Games are never deleted one by one; a rolled-back insert may leave a gap, which does not matter here.
        games=Game.objects.aggregate(newest=Max("pk"))["newest"] or 0,
        voids=_voids(now), submissions=_submissions(), questions=_questions(), analyses=_analyses(),
        coordinators=coordinators(now),
        workers={"online": states["online"], "draining": states["draining"]}, slots=workers.by_tier(),
        standstills=_standstills(),
        failing=_failing(), failed_tries=dict(FailedTries.objects.values_list("step", "number")),
        latencies=latencies, plays=plays)


def _queued() -> dict[tuple[str, str], Waiting]:
    rows = (Match.objects.filter(status=MatchStatus.QUEUED, held=False).order_by().values_list("ruleset", "kind")
            .annotate(number=Count("pk"), oldest=Min("pk")))
    found = list(rows)
    since = dict(Match.objects.filter(pk__in=[oldest for *_, oldest in found]).values_list("pk", "created_at"))
    return {(ruleset, kind): Waiting(number, since[oldest]) for ruleset, kind, number, oldest in found
            if oldest in since}


def _running() -> dict[tuple[str, str], int]:
    rows = (Match.objects.filter(status=MatchStatus.RUNNING).order_by().values_list("ruleset", "kind")
            .annotate(number=Count("pk")))
    return {(ruleset, kind): number for ruleset, kind, number in rows}


def _voids(now: datetime) -> dict[str, int]:
    """Return the number of attempts and checks that became void in the last hour, by class of reason."""
    counts = dict.fromkeys([*REASONS.values(), "other"], 0)
    for model in (Attempt, Check):
        void = model.objects.filter(status=AttemptStatus.VOID, ended_at__gte=now - VOID_OVER)
        for reason in void.values_list("reason", flat=True).order_by():
            counts[reason_class(reason)] += 1
    return counts


def reason_class(reason: str) -> str:
    """Return the class of a void attempt's reason: starved, sandbox, worker, lease, cancelled or other."""
    return next((kind for beginning, kind in REASONS.items() if reason.startswith(beginning)), "other")


def _submissions() -> dict[str, int]:
    open_ = (SubmissionStatus.RECEIVED, SubmissionStatus.CHECKING)
    return {str(status): Submission.objects.filter(status=status).count() for status in open_}


def _questions() -> dict[str, int]:
    return {str(status): Question.objects.filter(status=status).count() for status in QUESTION_OPEN}


def _analyses() -> dict[str, int]:
    return {str(status): Analysis.objects.filter(status=status).count() for status in ANALYSIS_OPEN}


def _standstills() -> dict[tuple[str, str], datetime]:
    rows = alarms().values_list("queue", "reason", "began_at")
    return {(queue, reason): began_at for queue, reason, began_at in rows}


def _failing() -> dict[str, int]:
    """Return the number of failing items per step of the coordinator; 0 for a step that once failed."""
    counts = dict.fromkeys(FailedTries.objects.values_list("step", flat=True), 0)
    return counts | dict(Failure.objects.order_by().values_list("step").annotate(Count("pk")))


def _latencies(now: datetime) -> tuple[list[float], list[float]]:
    """Return the times of the newest matches, sorted: from pairing to end, and from the counted claim to the end."""
    rows = list(Game.objects.order_by("-pk").values_list(
        "ended_at", "match__created_at", "attempt__started_at", "number")[:2 * LATENCY_SAMPLE])
    recent = [(ended, created, started) for ended, created, started, number in rows
              if number == 1 and ended >= now - LATENCY_OVER]
    return (sorted((ended - created).total_seconds() for ended, created, _ in recent),
            sorted((ended - started).total_seconds() for ended, _, started in recent))
