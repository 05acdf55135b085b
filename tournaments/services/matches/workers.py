"""Workers: their declarations and heartbeats, and draining them for an upgrade.

A worker's main process declares itself at its start, sends a heartbeat every few seconds, and says when it stops. An
organiser's request to drain is stored in the worker's row; the worker reads it at its next heartbeat. `silence` says
what follows when the heartbeats of a worker at work end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q

from engines.rules.registry import versions
from tournaments.models import Worker
from tournaments.operations import workers
from tournaments.platform.refusals import Refused
from tournaments.services.matches import releases
from tournaments.services.shared import audit, coordinators
from tournaments.services.shared.wakeups import FLEET, wake

FORGOTTEN_AFTER: Final = timedelta(days=1)
# A heartbeat is overdue after this part of SILENCE_SECONDS. One may be lost, because they are sent every third of it.
LATE: Final = 2 / 3
_SILENT: Final = {"beat_by": None, "overdue_since": None}


class WorkerRefused(Refused):
    """The worker has stopped, is already draining, is not draining, or plays by other rules than the site."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """Facts that a worker declares about itself.

    `name` is host and process ID, unique; `software` is the version of Squarefield that it runs, `tools` the versions
    of the programs available to bots there, by name; `rules` the versions of its rulesets, by slug.
    """

    name: str
    host: str
    tier: str
    rulesets: Sequence[str]
    cores: int
    concurrency: int
    software: str
    tools: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, int] = field(default_factory=versions)


class Seen(NamedTuple):
    """Whether the worker must drain (0 or 1), and the number of workers that are online."""

    draining: int
    workers: int


def declare(declaration: Declaration, *, now: datetime) -> Worker:
    """Register a worker that has started. It replaces a worker of the same name and its request to drain."""
    worker, _ = Worker.objects.update_or_create(
        name=declaration.name, defaults={**asdict(declaration), **_SILENT, "load": None, "started_at": now,
                                         "seen_at": now, "draining": False, "stopped_at": None})
    wake(*FLEET)
    return worker


def beat(declaration: Declaration, *, load: float | None, at_work: bool = False, now: datetime) -> Seen:
    """Record a heartbeat; return what the worker needs to know. `load` is the machine's over the last minute.

    A worker that is `at_work` is expected to send the next one in time. A missing row, pruned during a network outage
    or lost when a backup was restored, is recreated.
    """
    beat_by = now + timedelta(seconds=LATE * settings.SILENCE_SECONDS) if at_work else None
    facts = {**asdict(declaration), **_SILENT, "load": load, "seen_at": now, "stopped_at": None, "beat_by": beat_by}
    mine = Worker.objects.filter(name=declaration.name)
    # Not update_or_create, which locks the row with a statement of its own.
    if not mine.update(**facts):
        Worker.objects.get_or_create(name=declaration.name, defaults={**facts, "started_at": now})
    return Seen(**workers.online(now).aggregate(
        draining=Count("pk", filter=Q(name=declaration.name, draining=True)), workers=Count("pk")))


def stop(name: str, *, now: datetime) -> None:
    """Record that the worker has stopped and takes no more matches."""
    Worker.objects.filter(name=name).update(**_SILENT, seen_at=now, stopped_at=now)
    wake(*FLEET)


def drain(*, worker: Worker, actor: Any, now: datetime) -> Worker:
    """Let the worker finish its matches and take no more. Raises WorkerRefused."""
    return _set_draining(worker, actor, now, draining=True)


def resume(*, worker: Worker, actor: Any, now: datetime) -> Worker:
    """Let the worker take matches again. Raises WorkerRefused."""
    if found := releases.conflicts(worker.rules or {}):
        raise WorkerRefused(f"{worker.name} plays by other rules than the site ({found}): upgrade it.")
    return _set_draining(worker, actor, now, draining=False)


def prune(now: datetime) -> int:
    """Delete the workers, and the coordinators, that have given no sign for a day; return how many."""
    return Worker.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()[0] + coordinators.forget(now)


def _set_draining(worker: Worker, actor: Any, now: datetime, *, draining: bool) -> Worker:
    with transaction.atomic():
        changed = workers.online(now).filter(pk=worker.pk, draining=not draining).update(draining=draining)
        worker.refresh_from_db()
        if not changed:
            raise WorkerRefused(_reason(worker, now))
        audit.record(actor=actor, verb="drain" if draining else "resume", target=worker, now=now)
        wake(*FLEET)
    return worker


def _reason(worker: Worker, now: datetime) -> str:
    if not workers.is_online(worker, now):
        return f"{worker.name} is not running; its last heartbeat was at {worker.seen_at:%Y-%m-%d %H:%M:%S %Z}."
    if worker.draining:
        return f"{worker.name} is already draining: use `resume` to let it take matches again."
    return f"{worker.name} is not draining: there is nothing to resume."
