"""Invariants after any fault: all matches finished, games rated once, no bot penalised, no resources left behind."""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from django.db.models import Count, Q

from engines.records.bundle import BundleError
from engines.sandbox.isolation.slots import COUNT
from tests.faults.backend import Backend
from tests.faults.machinery.processes import await_true, with_environment, with_uids
from tests.faults.site import UID_BASE, FaultSite
from tournaments.formats.bundled import Mismatch
from tournaments.formats.verification import verify_bundle
from tournaments.models import Attempt, Event, Game, Match, Side
from tournaments.models.lifecycle import AttemptStatus, EventStatus, MatchStatus
from tournaments.services.events.exports import event_bundle
from tournaments.setup.bootstrap.environment import ROOT

_SETTLE_SECONDS = 60
_START_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of the event's rows in the database; all but `matches` and `void` must be 0."""

    matches: int
    void: int
    lost: int
    doubled: int
    charged: int

    @classmethod
    def of(cls, event: Event) -> "Counts":
        """Read the counts from the database."""
        matches = Match.objects.filter(event=event)
        counted = matches.annotate(
            counted=Count("attempts", filter=Q(attempts__status=AttemptStatus.COUNTED), distinct=True),
            played=Count("games", distinct=True))
        games = Game.objects.filter(event=event)
        doubled = counted.filter(Q(counted__gt=1) | Q(played__gt=2)).count()
        lost = (counted.exclude(status=MatchStatus.FINISHED, counted=1, played=2).count()
                + games.filter(rated=None).count())
        charged = games.filter(ended_by="conduct").count() + Side.objects.filter(at_fault=True).count()
        void = Attempt.objects.filter(match__event=event, status=AttemptStatus.VOID).count()
        return cls(matches.count(), void, lost, doubled, charged)


def broken_rules(site: FaultSite, event: Event) -> list[str]:
    """Return the promises about results that do not hold, in words."""
    event.refresh_from_db()
    counts = Counts.of(event)
    said = [f"{count} {what}" for count, what in (
        (counts.lost, "matches or games lost"), (counts.doubled, "counted twice"), (counts.charged, "bots penalised"),
        (Attempt.objects.filter(match__event=event, status=AttemptStatus.RUNNING).count(), "attempts never judged"),
    ) if count]
    if event.status != EventStatus.FINISHED:
        said.append(f"the event is {event.status}")
    return said + _rebuilt(site) + _verified(event)


def _rebuilt(site: FaultSite) -> list[str]:
    """Recompute counts and ratings from the games, and return the differences."""
    # In a separate process: with several threads, numpy adds numbers in a different order.
    done = subprocess.run([sys.executable, "manage.py", "rebuild_ratings", "--check"], cwd=ROOT, env=site.environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return [f"rebuild_ratings: {done.stdout}{done.stderr}"] if done.returncode else []


def _verified(event: Event) -> list[str]:
    """Replay all games, recompute standings from the event's bundle, and return the differences."""
    if event.status != EventStatus.FINISHED:
        return []
    with event_bundle(event) as bundle, tempfile.NamedTemporaryFile() as file:
        file.write(bundle.read())
        file.flush()
        try:
            verify_bundle(file.name)
        except (BundleError, Mismatch) as error:
            return [f"the bundle: {error}"]
    return []


def left_while_idle(site: FaultSite) -> list[str]:
    """Return what bots left behind while no games are played; the site is running and complete."""
    if not await_true(site.is_up, _START_SECONDS):
        return ["a process did not restart"]
    await_true(lambda: not _of_bots(site), _SETTLE_SECONDS)
    return _of_bots(site)


@dataclass(frozen=True, slots=True)
class Leftovers:
    """The temporary files and the mounts of a backend at one moment."""

    files: frozenset[Path]
    mounts: frozenset[str]

    @classmethod
    def of(cls, backend: Backend) -> "Leftovers":
        """List them, except files that a runtime directory keeps for all workers."""
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        files = [path for path in backend.temporary.iterdir() if path.name != f"squarefield-{os.geteuid()}"]
        work = [path for path in backend.temporary.glob("squarefield-*/staging/*") if path.is_dir()]
        return cls(frozenset(files + work), frozenset(line for line in mounts if str(backend.root) in line))


def left_at_the_end(site: FaultSite, before: Leftovers) -> list[str]:
    """Return what remains after the site was stopped and was not there `before`."""
    after = Leftovers.of(site.backend)
    said = _of_bots(site)
    said += [f"process {pid}" for pid in with_environment(f"SQUAREFIELD_VAR={site.environment['SQUAREFIELD_VAR']}")]
    said += [f"file {path}" for path in after.files - before.files]
    return said + [f"mount {line}" for line in after.mounts - before.mounts]


def _of_bots(site: FaultSite) -> list[str]:
    slots = [path for path in site.backend.temporary.glob("squarefield-*/slots/*") if path.stat().st_size]
    return [*(f"slot {path.name}: {path.read_text()}" for path in slots),
            *(f"process {pid} of a bot" for pid in with_uids(UID_BASE, COUNT)),
            *(f"cgroup {group}" for group in site.groups.left())]

