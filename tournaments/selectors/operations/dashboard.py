"""Reads for the organiser's dashboard: what waits and runs, on which machines, and what fails where.

Faults are read over the last hours, and at most over the newest rows, so that the cost does not grow with the site's
history.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, F, Max, Min, QuerySet

from engines.rules.registry import RULESETS
from engines.sandbox.isolation.limits import Tier
from tournaments.models import Attempt, Failure, Game, Match, Side, Standstill, Submission, Worker
from tournaments.models.lifecycle import SUBMISSION_OPEN, AttemptStatus, EventStatus, MatchStatus
from tournaments.operations import workers as worker_reads
from tournaments.selectors.shared.gaps import sentence

NEWEST: Final = 50_000
_GROUPS: Final = 2000
_FAILURES: Final = 100
# Tiers that the table of slots always shows.
_TIERS: Final = (Tier.STANDARD.value, Tier.REDUCED.value)


@dataclass(slots=True)
class QueueLine:
    """Open matches of one ruleset for one purpose. `oldest` is when the longest waiting one was paired."""

    ruleset: str
    kind: str
    queued: int = 0
    held: int = 0
    running: int = 0
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """A worker and its attempts in progress."""

    worker: Worker
    online: bool
    playing: list[Attempt]


@dataclass(slots=True)
class BotFaults:
    """A bot's faults by kind, and the number of its games."""

    slug: str
    name: str
    games: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """Faults of all kinds. In a template, `total` of the Counter itself is the count of a key with that name."""
        return self.faults.total()


@dataclass(slots=True)
class HostFaults:
    """Results of a machine's attempts: counted, void, and forfeits by kind in the games that counted."""

    host: str
    counted: int = 0
    void: int = 0
    forfeits: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class VoidReason:
    """Void attempts for the same reason, on all workers."""

    reason: str
    count: int = 0
    hosts: set[str] = field(default_factory=set)
    last_at: datetime | None = None
    match_id: int = 0


def queue() -> list[QueueLine]:
    """Return the matches that have not ended, by ruleset and purpose."""
    lines: dict[tuple[str, str], QueueLine] = {}
    # One query per partial index: a combined one would read the whole table.
    queued = Match.objects.filter(status=MatchStatus.QUEUED, held=False)
    held = Match.objects.filter(status=MatchStatus.QUEUED, held=True, event__status=EventStatus.PAUSED)
    running = Match.objects.filter(status=MatchStatus.RUNNING, lease_until__isnull=False)
    for name, matches in (("queued", queued), ("held", held), ("running", running)):
        for ruleset, kind, count, oldest in matches.order_by().values_list("ruleset", "kind").annotate(
                Count("id"), Min("created_at")):
            line = lines.setdefault((ruleset, kind), QueueLine(ruleset, kind))
            setattr(line, name, count)
            if name == "queued":
                line.oldest = oldest
    return [lines[key] for key in sorted(lines)]


def submissions_waiting() -> tuple[int, datetime | None]:
    """Return how many uploads have not been judged, and when the oldest arrived."""
    waiting = Submission.objects.filter(status__in=SUBMISSION_OPEN).aggregate(Count("id"), Min("received_at"))
    return waiting["id__count"], waiting["received_at__min"]


def failures() -> list[Failure]:
    """Return the coordinator's failures, the longest lasting first; at most a hundred."""
    return list(Failure.objects.order_by("first_at", "pk")[:_FAILURES])


def workers(now: datetime) -> list[WorkerLine]:
    """Return all registered workers, those online first, each with the attempts that it plays now."""
    playing: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in attempts_running():
        # A worker's processes claim under its name and their own process ids.
        playing[attempt.worker.rpartition(":")[0]].append(attempt)
    online = set(worker_reads.online(now).values_list("pk", flat=True))
    lines = [WorkerLine(worker, worker.pk in online, playing.get(worker.name, [])) for worker in Worker.objects.all()]
    return sorted(lines, key=lambda line: (not line.online, line.worker.name))


def standstills() -> list[tuple[Standstill, str]]:
    """Return the queues with work that no worker may take, each with a sentence that says why."""
    return [(row, sentence(row.reason, row.queue if row.queue in RULESETS else None)) for row in worker_reads.alarms()]


def slots(now: datetime) -> tuple[list[str], list[tuple[str, list[int]]]]:
    """Return the tiers, and for each ruleset the number of matches that workers of each tier can play at a time."""
    places = worker_reads.fleet(now).by_tier()
    tiers = [*dict.fromkeys([*_TIERS, *sorted(tier for _, tier in places)])]
    rulesets = sorted({*RULESETS, *(ruleset for ruleset, _ in places)})
    return tiers, [(ruleset, [places.get((ruleset, tier), 0) for tier in tiers]) for ruleset in rulesets]


def attempts_running() -> QuerySet[Attempt]:
    """Return the attempts that hold their matches now, with the matches and bots."""
    return (Attempt.objects.filter(match__status=MatchStatus.RUNNING, match__lease_until__isnull=False,
                                   number=F("match__attempt"))
            .select_related("match__first__bot", "match__second__bot").order_by("started_at"))


def faults_by_bot(since: datetime) -> list[BotFaults]:
    """Return the bots that have been at fault since then, the one with most faults first."""
    floor = _floor(Game)
    at_fault = Side.objects.filter(game__gt=floor, game__ended_at__gte=since, at_fault=True).order_by()
    bots: dict[int, BotFaults] = {}
    for pk, slug, name, reason, count in at_fault.values_list(
            "bot", "bot__slug", "bot__name", "game__reason").annotate(Count("id")):
        bots.setdefault(pk, BotFaults(slug, name)).faults[reason] += count
    games = Side.objects.filter(game__gt=floor, game__ended_at__gte=since, bot__in=bots).order_by()
    for pk, count in games.values_list("bot").annotate(Count("id")):
        bots[pk].games = count
    return sorted(bots.values(), key=lambda bot: (-bot.total, bot.name))


def faults_by_host(since: datetime) -> list[HostFaults]:
    """Return the machines that have played since then, with forfeits and void attempts, the worst first.

    If a machine has more forfeits than others, the fault is in the machine rather than in the bots.
    """
    hosts: dict[str, HostFaults] = {}

    def of(worker: str) -> HostFaults:
        host = host_of(worker)
        return hosts.setdefault(host, HostFaults(host))

    attempts = Attempt.objects.filter(pk__gt=_floor(Attempt), started_at__gte=since).order_by()
    for worker, status, count in attempts.values_list("worker", "status").annotate(Count("id")):
        if status == AttemptStatus.COUNTED:
            of(worker).counted += count
        elif status == AttemptStatus.VOID:
            of(worker).void += count
    games = Game.objects.filter(pk__gt=_floor(Game), ended_at__gte=since, ended_by="conduct").order_by()
    for worker, reason, count in games.values_list("attempt__worker", "reason").annotate(Count("id")):
        of(worker).forfeits[reason] += count
    return sorted(hosts.values(), key=lambda host: (-host.void - host.forfeits.total(), host.host))


def void_reasons(since: datetime) -> list[VoidReason]:
    """Return why attempts have been void since then, the most frequent reason first.

    Reasons that differ only in the worker's name are counted together.
    """
    void = Attempt.objects.filter(pk__gt=_floor(Attempt), started_at__gte=since, status=AttemptStatus.VOID).order_by()
    groups: dict[str, VoidReason] = {}
    for reason, worker, count, last_at, match_id in void.values_list("reason", "worker").annotate(
            Count("id"), Max("ended_at"), Max("match"))[:_GROUPS]:
        text = reason.replace(worker, "the worker")
        group = groups.setdefault(text, VoidReason(text))
        group.count += count
        group.hosts.add(host_of(worker))
        if group.last_at is None or (last_at is not None and last_at > group.last_at):
            group.last_at, group.match_id = last_at, match_id
    return sorted(groups.values(), key=lambda group: (-group.count, group.reason))


def host_of(worker: str) -> str:
    """Return the machine from the name under which an attempt was claimed, which is "host:worker:process"."""
    return worker.partition(":")[0]


def since(now: datetime, hours: int) -> datetime:
    """Return the time this many hours ago."""
    return now - timedelta(hours=hours)


def kinds_of(rows: Iterable[Counter[str]]) -> list[str]:
    """Return every kind of fault in these rows, as the columns of their table."""
    return sorted(set().union(*rows))


def _floor(model: type[Game] | type[Attempt]) -> int:
    """Return the ID above which the newest rows are."""
    newest = model.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    return newest - NEWEST
