"""A new version of the site and of a bot, deployed during an event."""

import subprocess
import sys

from tests.factories import make_user
from tests.faults.bots import quick_bot
from tests.faults.course import PATIENCE_SECONDS, Course
from tests.faults.machinery.processes import await_true
from tournaments.models import Attempt, Game, Worker
from tournaments.models.lifecycle import AttemptStatus
from tournaments.setup.bootstrap.environment import ROOT


def with_a_web_process(course: Course) -> None:
    """Start the whole site."""
    course.start_as_usual()
    course.site.start_web()


def deploy(course: Course) -> None:
    """Upload a new version of a bot, drain the workers, start new ones, and replace all other processes."""
    site, number = course.site, len(course.struck) + 2
    course.backend.upload(quick_bot(0, version=number), make_user("organiser"))
    old = site.of("worker")
    subprocess.run([sys.executable, "manage.py", "drain", "all"], cwd=ROOT, env=site.environment, check=True,
                   capture_output=True)
    # Every process started from here on runs the new version.
    site.environment["SQUAREFIELD_VERSION"] = f"{number}.0"
    for _ in old:
        site.start("worker", "--concurrency", "2")
    pids = [f"{service.pid}" for service in old]
    assert await_true(lambda: not playing(pids), PATIENCE_SECONDS), "the workers did not drain"
    site.stop(*old, *site.of("coordinator"), *site.of("web"))
    site.start("coordinator")
    site.start_web()


def deployed(course: Course) -> list[str]:
    """Return what is wrong afterwards: changed entries of the event, or a new version that does not run."""
    said = []
    foreign = Game.objects.filter(event=course.event).exclude(seat0__number=1, seat1__number=1).count()
    if foreign:
        said.append(f"{foreign} games of versions that were not entered")
    newest = course.site.environment["SQUAREFIELD_VERSION"]
    if not Worker.objects.filter(software=newest, stopped_at=None).exists():
        said.append(f"no worker reports that it runs {newest}")
    return said


def playing(processes: list[str]) -> bool:
    running = Attempt.objects.filter(status=AttemptStatus.RUNNING).values_list("worker", flat=True)
    return any(worker.split(":")[1] in processes for worker in running)
