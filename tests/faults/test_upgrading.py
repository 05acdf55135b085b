"""An upgrade of a running site and a rollback, step by step as docs/how-to/operator/upgrade.md describes them."""

import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from functools import partial

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from tests.faults.conftest import SEED
from tests.faults.course import PATIENCE_SECONDS, Course, Fault, hold
from tests.faults.machinery.processes import await_true
from tests.faults.site import Service
from tests.ports import reserve_port
from tests.tournaments.next_release import NEWEST
from tests.waiting import wait_for
from tournaments.models import Attempt, Match
from tournaments.models.lifecycle import AttemptStatus, MatchStatus
from tournaments.operations.grants import ROLES
from tournaments.services.events.events import start_event
from tournaments.setup.bootstrap.environment import ROOT

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers,
              pytest.mark.thorough]
BOTS = 8
OLD = {"DJANGO_SETTINGS_MODULE": "tournaments.settings", "SQUAREFIELD_VERSION": "1.0"}
NEW = {"DJANGO_SETTINGS_MODULE": "tests.tournaments.next_release_settings", "SQUAREFIELD_VERSION": "2.0"}
# Each kind of process signs in to the database as a role of the same name.
GRANTED = {role: role for role in ROLES}


class Rehearsal:
    """A site with a role of the database for each kind of process, whose matches are released a few at a time.

    So the event cannot end before a step, even on a slow machine.
    """

    def prepare(self, course: Course) -> None:
        """Start the old release, and the event with its first matches."""
        self.course, self.site = course, course.site
        with connection.cursor() as cursor:
            for role in ROLES:
                cursor.execute(f"CREATE ROLE {role} LOGIN")
        call_command("grant_roles", **GRANTED)
        start_event(event=course.event, now=timezone.now())
        self.matches.update(held=True)
        self.release(3)
        self.old = self.start(OLD)

    def rehearse(self, course: Course) -> None:
        """Upgrade the site and return to the old release, while matches are played."""
        old_coordinator, old_web, old_worker = self.old
        # The upgrade.
        self.release(3)
        self.command("migrate")
        self.command("grant_roles", *(f"--{role}={name}" for role, name in GRANTED.items()))
        assert "stake" in columns(), "the next release has changed nothing"
        self.stop(old_coordinator)
        coordinator, web, worker = self.start(NEW)
        self.stop(old_web)
        self.play_until(self.each_has_finished(old_worker, worker))
        self.play_until(lambda: running(old_worker))
        self.stop(old_worker)
        self.play_until(self.each_has_finished(worker))
        # The rollback.
        self.release(3)
        call_command("migrate", verbosity=0)
        self.stop(coordinator)
        _, _, old_worker = self.start(OLD)
        self.stop(web)
        self.play_until(self.each_has_finished(old_worker, worker))
        self.play_until(lambda: running(worker))
        self.command("drain", f"{socket.gethostname()}:{worker.pid}", "--wait")
        assert not running(worker)
        self.stop(worker)
        self.release(3)
        self.command("migrate", "tournaments", NEWEST)
        call_command("grant_roles", **GRANTED)
        assert "stake" not in columns()
        self.release(len(self.matches))

    @property
    def matches(self):
        """All matches of the event, in order."""
        return Match.objects.filter(event=self.course.event).order_by("pk")

    def release(self, number: int) -> None:
        """Let this many more matches be played."""
        held = self.matches.filter(held=True).values_list("pk", flat=True)[:number]
        self.matches.filter(pk__in=list(held)).update(held=False, published_at=None)

    def play_until(self, condition: Callable[[], object]) -> None:
        """Release matches until the condition holds."""
        def holds() -> bool:
            if condition():
                return True
            if not self.matches.filter(held=False).exclude(status=MatchStatus.FINISHED).exists():
                assert self.matches.filter(held=True).exists(), self.site.log_tails()
                self.release(2)
            return False

        wait_for(holds, "a step of the upgrade", seconds=PATIENCE_SECONDS, explain=self.site.log_tails)

    def each_has_finished(self, *workers: Service) -> Callable[[], bool]:
        """Return a condition: since now, each of these workers has finished a match."""
        before = [finished(worker) for worker in workers]
        return lambda: all(finished(worker) > number for worker, number in zip(workers, before, strict=True))

    def start(self, release: dict[str, str]) -> list[Service]:
        """Start a coordinator, a web process and a worker of a release, and return when they work."""
        self.site.port = reserve_port()
        url = self.site.environment["DATABASE_URL"]
        user = self.course.backend.postgres.USER
        started = [self.site.start(role, *words, environment={
            **release, "DATABASE_URL": url.replace(f"//{user}@", f"//{role}@")}) for role, words in (
                ("coordinator", []), ("web", ["--port", str(self.site.port), "--processes", "1"]),
                ("worker", ["--concurrency", "1"]))]
        assert await_true(self.site.is_up, PATIENCE_SECONDS), self.site.log_tails()
        with urllib.request.urlopen(f"http://{self.site.host}:{self.site.port}/health/ready") as answer:
            assert answer.status == 200
        return started

    def stop(self, service: Service) -> None:
        """Stop a process with SIGTERM. It has not ended before."""
        assert service.alive
        assert service.starts == 0, service.log()
        self.site.stop(service)

    def command(self, *words: str) -> None:
        """Run a command of the new release as the owner of the tables. The test itself is of the old release."""
        done = subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, env={**self.site.environment, **NEW},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def attempts(worker: Service, status: AttemptStatus) -> int:
    return Attempt.objects.filter(worker__contains=f":{worker.pid}:", status=status).count()


finished = partial(attempts, status=AttemptStatus.COUNTED)
running = partial(attempts, status=AttemptStatus.RUNNING)


def columns() -> set[str]:
    with connection.cursor() as cursor:
        return {column.name for column in connection.introspection.get_table_description(cursor, "tournaments_match")}


class TestAnUpgradeOfARunningSite:
    def test_and_its_rollback_spoil_no_attempt_and_lose_no_match(self, backend, note, tmp_path):
        rehearsal = Rehearsal()
        line = hold(backend, Fault("upgrade, rollback", rehearsal.rehearse, most=1, prepare=rehearsal.prepare),
                    bots=BOTS, seed=SEED, logs=tmp_path)
        note(line)
        assert line.times == 1, "nothing was upgraded"
        assert not line.broken, "\n".join(line.broken)
        assert line.void == 0
