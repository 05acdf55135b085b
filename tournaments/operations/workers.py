"""The coordinators that run; the workers: how many matches they can play, and which work none of them may take."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import Count, QuerySet, Sum

from tournaments.models import Attempt, Check, Coordinator, Standstill, Worker
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import AttemptStatus, Gap

# A coordinator makes a pass at least every 18 s, and records one at most every 10 s.
COORDINATOR_SEEN: Final = timedelta(seconds=60)


def coordinators(now: datetime) -> int:
    """Return how many coordinators have recorded a pass in the last minute."""
    return Coordinator.objects.filter(seen_at__gte=now - COORDINATOR_SEEN).count()


def online(now: datetime) -> QuerySet[Worker]:
    """Return the workers, draining or not, with a heartbeat in the last WORKER_SEEN_SECONDS and no reported stop."""
    return Worker.objects.filter(seen_at__gte=now - timedelta(seconds=settings.WORKER_SEEN_SECONDS), stopped_at=None)


def is_online(worker: Worker, now: datetime) -> bool:
    """Whether this worker is one of those that `online` returns."""
    return worker.stopped_at is None and worker.seen_at >= now - timedelta(seconds=settings.WORKER_SEEN_SECONDS)


@dataclass(frozen=True, slots=True)
class Crew:
    """Workers that are online and take the same work: their number, and how many matches they play at a time."""

    rulesets: Sequence[str]
    tier: str
    draining: bool
    workers: int
    slots: int

    def may_take(self, ruleset: str | None, *, trusted: bool) -> bool:
        """Whether they may take such work when they are not draining; `ruleset` is None for work of every worker.

        `trusted` says that the site's staff uploaded all bots in it.
        """
        return (ruleset is None or ruleset in self.rulesets) and (trusted or self.tier == FULL_TIER)


@dataclass(frozen=True, slots=True)
class Fleet:
    """All workers that are online, at one moment. An answer about `trusted` work counts workers of every tier."""

    crews: Sequence[Crew]

    def by_tier(self) -> dict[tuple[str, str], int]:
        """Return how many matches of each ruleset can be played at a time on workers of each tier that take new ones.

        A worker that serves several rulesets counts in full for each. A ruleset that no worker serves is left out.
        """
        places: Counter[tuple[str, str]] = Counter()
        for crew in self.crews:
            if not crew.draining:
                places.update({(ruleset, crew.tier): crew.slots for ruleset in crew.rulesets})
        return dict(places)

    def slots(self, ruleset: str, *, trusted: bool) -> int:
        """Return how many such matches can be played at a time on workers that take new ones."""
        return sum(crew.slots for crew in self.crews
                   if not crew.draining and crew.may_take(ruleset, trusted=trusted))

    def gap(self, ruleset: str | None, *, trusted: bool) -> Gap | None:
        """Return why no worker takes such work; None if one does. `ruleset` is None for work of every worker."""
        able = [crew for crew in self.crews if crew.may_take(ruleset, trusted=trusted)]
        if any(not crew.draining for crew in able):
            return None
        if able:
            return Gap.DRAINING
        if not self.crews:
            return Gap.OFFLINE
        return Gap.TIER if any(crew.may_take(ruleset, trusted=True) for crew in self.crews) else Gap.RULESET

    def only_trusted(self, ruleset: str | None) -> bool:
        """Return whether workers take such work, but all of them only if the site's staff uploaded the bots."""
        return self.gap(ruleset, trusted=True) is None and self.gap(ruleset, trusted=False) is not None


def fleet(now: datetime) -> Fleet:
    """Return the workers that are online. One query, which returns a row per kind of worker."""
    rows = online(now).order_by().values_list("rulesets", "tier", "draining")
    return Fleet([Crew(*row) for row in rows.annotate(Count("pk"), Sum("concurrency"))])


def alarms() -> QuerySet[Standstill]:
    """Return the queues with work that no worker has been able to take for long enough to be an alarm."""
    return Standstill.objects.filter(ended_at=None, alarmed_at__isnull=False)


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
