"""What must hold after any fault: all matches finished and games rated once, nobody charged, nothing left behind."""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from django.db.models import Count, Q

from engines.records.bundle import BundleError
from engines.sandbox.isolation.slots import COUNT
from tests.faults.ground import Ground
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
class Books:
    """What the database says of an event after it; everything but `matches` and `void` ought to be 0."""

    matches: int
    void: int
    lost: int
    doubled: int
    charged: int

    @classmethod
    def of(cls, event: Event) -> "Books":
        """Read them."""
        matches = Match.objects.filter(event=event)
        counted = matches.annotate(
            counted=Count("attempts", filter=Q(attempts__status=AttemptStatus.COUNTED), distinct=True),
            played=Count("games", distinct=True))
        games = Game.objects.filter(event=event)
        rated = games.annotate(ratings=Count("rating_changes"))
        doubled = counted.filter(Q(counted__gt=1) | Q(played__gt=2)).count() + rated.filter(ratings__gt=2).count()
        lost = (counted.exclude(status=MatchStatus.FINISHED, counted=1, played=2).count()
                + rated.exclude(ratings=2).count())
        charged = games.filter(ended_by="conduct").count() + Side.objects.filter(at_fault=True).count()
        void = Attempt.objects.filter(match__event=event, status=AttemptStatus.VOID).count()
        return cls(matches.count(), void, lost, doubled, charged)


def broken_rules(site: FaultSite, event: Event) -> list[str]:
    """Which of the promises about results do not hold, in words."""
    event.refresh_from_db()
    books = Books.of(event)
    said = [f"{count} {what}" for count, what in (
        (books.lost, "matches or games lost"), (books.doubled, "counted twice"), (books.charged, "bots charged"),
        (Attempt.objects.filter(match__event=event, status=AttemptStatus.RUNNING).count(), "attempts never judged"),
    ) if count]
    if event.status != EventStatus.FINISHED:
        said.append(f"the event is {event.status}")
    return said + _rebuilt(site) + _verified(event)


def _rebuilt(site: FaultSite) -> list[str]:
    """Ratings, counts and official tables again from the games."""
    # In a process of its own: numpy adds up in another order where it has several threads.
    done = subprocess.run([sys.executable, "manage.py", "rebuild_ratings", "--check"], cwd=ROOT, env=site.environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return [f"rebuild_ratings: {done.stdout}{done.stderr}"] if done.returncode else []


def _verified(event: Event) -> list[str]:
    """Every game played again, standings and rating changes computed again from the event's bundle."""
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
    """What bots left behind though nothing is being played; the site still runs, and is whole again."""
    if not await_true(site.is_up, _START_SECONDS):
        return ["a process does not come back"]
    await_true(lambda: not _of_bots(site), _SETTLE_SECONDS)
    return _of_bots(site)


@dataclass(frozen=True, slots=True)
class Remains:
    """The temporary files and the mounts of a ground at some moment."""

    files: frozenset[Path]
    mounts: frozenset[str]

    @classmethod
    def of(cls, ground: Ground) -> "Remains":
        """Look for them. What a runtime directory keeps for all workers is none."""
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        files = [path for path in ground.temporary.iterdir() if path.name != f"squarefield-{os.geteuid()}"]
        work = [path for path in ground.temporary.glob("squarefield-*/staging/*") if path.is_dir()]
        return cls(frozenset(files + work), frozenset(line for line in mounts if str(ground.root) in line))


def left_at_the_end(site: FaultSite, before: Remains) -> list[str]:
    """What is there though the site was stopped, and was not `before`."""
    after = Remains.of(site.ground)
    said = _of_bots(site)
    said += [f"process {pid}" for pid in with_environment(f"SQUAREFIELD_VAR={site.environment['SQUAREFIELD_VAR']}")]
    said += [f"file {path}" for path in after.files - before.files]
    return said + [f"mount {line}" for line in after.mounts - before.mounts]


def _of_bots(site: FaultSite) -> list[str]:
    slots = [path for path in site.ground.temporary.glob("squarefield-*/slots/*") if path.stat().st_size]
    return [*(f"slot {path.name}: {path.read_text()}" for path in slots),
            *(f"process {pid} of a bot" for pid in with_uids(UID_BASE, COUNT)),
            *(f"cgroup {group}" for group in site.groups.left())]

