"""The worker machines, and how many matches they can play."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet

from tournaments.models import Attempt, Check, Worker
from tournaments.models.lifecycle import AttemptStatus


def online(now: datetime) -> QuerySet[Worker]:
    """Return the workers, draining or not, with a heartbeat in the last WORKER_SEEN_SECONDS and no reported stop."""
    return Worker.objects.filter(seen_at__gte=now - timedelta(seconds=settings.WORKER_SEEN_SECONDS), stopped_at=None)


def is_online(worker: Worker, now: datetime) -> bool:
    """Whether this worker is one of those that `online` returns."""
    return worker.stopped_at is None and worker.seen_at >= now - timedelta(seconds=settings.WORKER_SEEN_SECONDS)


def slots(now: datetime) -> dict[str, int]:
    """Return how many matches of each ruleset can be played at a time on workers of any tier that take new ones.

    A worker that serves several rulesets counts in full for each. A ruleset that no worker serves is left out.
    """
    places: Counter[str] = Counter()
    for rulesets, concurrency in online(now).filter(draining=False).values_list("rulesets", "concurrency"):
        places.update(dict.fromkeys(rulesets, concurrency))
    return dict(places)


@dataclass(frozen=True, slots=True)
class SiteTool:
    """A program available to bots on workers: its versions, and whether all workers have it."""

    name: str
    versions: list[str]
    everywhere: bool


def tools(now: datetime) -> tuple[int, list[SiteTool]]:
    """Return the number of workers that report their tools, and these tools.

    If no worker is online, the workers of the last day are used.
    """
    reported = [found for found in (online(now).values_list("tools", flat=True) or
                                    Worker.objects.values_list("tools", flat=True)) if found is not None]
    by_name = {name: [found[name] for found in reported if name in found] for found in reported for name in found}
    return len(reported), [SiteTool(name, sorted(set(versions)), len(versions) == len(reported))
                       for name, versions in sorted(by_name.items())]


def under_way(worker: Worker) -> int:
    """Return the number of matches and checks that this worker is running."""
    mine = {"worker__startswith": f"{worker.name}:", "status": AttemptStatus.RUNNING}
    return Attempt.objects.filter(**mine).count() + Check.objects.filter(**mine).count()
