"""Which machines play, and how much they take."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet

from tournaments.models import Attempt, Check, Worker
from tournaments.models.lifecycle import AttemptStatus


def online(now: datetime) -> QuerySet[Worker]:
    """The workers heard of in the last WORKER_SEEN_SECONDS that have not said that they stop; draining ones too."""
    return Worker.objects.filter(seen_at__gte=now - timedelta(seconds=settings.WORKER_SEEN_SECONDS), stopped_at=None)


def is_online(worker: Worker, now: datetime) -> bool:
    """`online` for a row at hand."""
    return worker.stopped_at is None and worker.seen_at >= now - timedelta(seconds=settings.WORKER_SEEN_SECONDS)


def slots(now: datetime) -> dict[str, int]:
    """How many matches of each ruleset can be played at a time, on workers of any tier that take new ones.

    A worker that serves several rulesets counts in full for each of them. A ruleset that nobody serves is left out.
    """
    places: Counter[str] = Counter()
    for rulesets, concurrency in online(now).filter(draining=False).values_list("rulesets", "concurrency"):
        places.update(dict.fromkeys(rulesets, concurrency))
    return dict(places)


@dataclass(frozen=True, slots=True)
class SiteTool:
    """A program that bots find on workers: its versions, and whether all of them have it."""

    name: str
    versions: list[str]
    everywhere: bool


def tools(now: datetime) -> tuple[int, list[SiteTool]]:
    """How many workers tell their tools, and these; of the workers of the last day where none is online."""
    told = [found for found in (online(now).values_list("tools", flat=True) or
                                Worker.objects.values_list("tools", flat=True)) if found is not None]
    by_name = {name: [found[name] for found in told if name in found] for found in told for name in found}
    return len(told), [SiteTool(name, sorted(set(versions)), len(versions) == len(told))
                       for name, versions in sorted(by_name.items())]


def under_way(worker: Worker) -> int:
    """How many matches and checks run at this worker now."""
    mine = {"worker__startswith": f"{worker.name}:", "status": AttemptStatus.RUNNING}
    return Attempt.objects.filter(**mine).count() + Check.objects.filter(**mine).count()
