"""Workers: what they declare about themselves, and draining them for an upgrade.

A worker's main process declares it at its start, says every few seconds that it lives, and at last that it stops. An
organiser's wish that it drains waits in its row; it finds it there the next time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction

from tournaments.models import Worker
from tournaments.operations import workers
from tournaments.platform.refusals import Refused
from tournaments.services.shared import audit

FORGOTTEN_AFTER: Final = timedelta(days=1)


class WorkerRefused(Refused):
    """A worker that cannot do this: it has stopped, it drains already, or it does not drain."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a worker is.

    `name` is host and process id, unique; `software` the version of Squarefield that it runs,
    `tools` the versions of the programs that bots find there, by name.
    """

    name: str
    host: str
    tier: str
    rulesets: Sequence[str]
    cores: int
    concurrency: int
    software: str
    tools: Mapping[str, str] = field(default_factory=dict)


def declare(declaration: Declaration, *, now: datetime) -> Worker:
    """A worker has started. One that had its name before is gone, and with it the wish that it drains."""
    worker, _ = Worker.objects.update_or_create(
        name=declaration.name, defaults={**asdict(declaration), "load": None, "started_at": now, "seen_at": now,
                                         "draining": False, "stopped_at": None})
    return worker


def beat(declaration: Declaration, *, load: float | None, now: datetime) -> bool:
    """The worker lives; returns whether it is to drain. `load` is the machine's over the last minute.

    A row that is gone, pruned while the network was away or lost with a backup put back, is made again.
    """
    facts = {**asdict(declaration), "load": load, "seen_at": now, "stopped_at": None}
    worker, _ = Worker.objects.update_or_create(name=declaration.name, defaults=facts,
                                                create_defaults={**facts, "started_at": now})
    return worker.draining


def stop(name: str, *, now: datetime) -> None:
    """The worker takes no more matches, for good."""
    Worker.objects.filter(name=name).update(seen_at=now, stopped_at=now)


def drain(*, worker: Worker, actor: Any, now: datetime) -> Worker:
    """Let it finish what it plays and take no more. Raises WorkerRefused."""
    return _set_draining(worker, actor, now, draining=True)


def resume(*, worker: Worker, actor: Any, now: datetime) -> Worker:
    """Let it take matches again. Raises WorkerRefused."""
    return _set_draining(worker, actor, now, draining=False)


def prune(now: datetime) -> int:
    """Forget the workers that were not heard of for a day; returns how many."""
    return Worker.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()[0]


def _set_draining(worker: Worker, actor: Any, now: datetime, *, draining: bool) -> Worker:
    with transaction.atomic():
        changed = workers.online(now).filter(pk=worker.pk, draining=not draining).update(draining=draining)
        worker.refresh_from_db()
        if not changed:
            raise WorkerRefused(_reason(worker, now))
        audit.record(actor=actor, verb="drain" if draining else "resume", target=worker, now=now)
    return worker


def _reason(worker: Worker, now: datetime) -> str:
    if not workers.is_online(worker, now):
        return f"{worker.name} is not running; it was last heard of at {worker.seen_at:%Y-%m-%d %H:%M:%S %Z}."
    if worker.draining:
        return f"{worker.name} drains already; `resume` lets it take matches again."
    return f"{worker.name} does not drain."
