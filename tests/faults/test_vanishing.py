"""A PostgreSQL server that vanishes from the network: each side must detect the broken connections on its own."""

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from django.db import connection

from tests.faults.backend import Backend
from tests.faults.course import PATIENCE_SECONDS, Course, Fault, hold
from tests.faults.machinery.network import Cable
from tests.faults.machinery.processes import await_true
from tournaments.models import Worker
from tournaments.setup.bootstrap.children import Child
from tournaments.setup.embedded import TemporaryPostgres

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers,
              pytest.mark.thorough]
BOTS = 7
PORT = 5432
# The limit is a minute. The kernel enforces it, even if the processes are busy.
GIVEN_UP_WITHIN_SECONDS = 90
CLAIMED_WITHIN_SECONDS = 60
# So long that the matches are not over before the cable is cut.
THINK_SECONDS = 0.1
_ASK = """
import sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=120).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""


class PostgresOverTheCable(TemporaryPostgres):
    """A PostgreSQL server that the other end of the cable can reach."""

    cable: Cable

    def build_child(self) -> Child:
        child = super().build_child()
        child.command += ["-c", f"listen_addresses={self.cable.here}"]
        return child


@pytest.fixture
def cable() -> Iterator[Cable]:
    if why := Cable.refused():
        pytest.skip(why)
    with Cable() as made:
        yield made


@pytest.fixture
def backend(cable, django_db_blocker, monkeypatch) -> Iterator[Backend]:
    made = Backend()
    monkeypatch.setattr(PostgresOverTheCable, "cable", cable, raising=False)
    made.postgres = PostgresOverTheCable(sockets=made.root / "pg")
    try:
        with django_db_blocker.unblock():
            made.start(BOTS, think=THINK_SECONDS)
            made.admit_network()
            yield made
    finally:
        made.close()


def asked(course: Course) -> str:
    """Return the status of the web process's response to a request that needs the database."""
    address = f"http://127.0.0.1:{course.site.port}/api/events/"
    done = subprocess.run([*course.site.within, sys.executable, "-c", _ASK, address], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or done.stderr[-300:]


def clients(address: str) -> int:
    """Return the number of connections that the server counts for this address."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE client_addr = %s", [address])
        return int(cursor.fetchone()[0])


class Vanishing:
    """Cuts the site's cable and records what went wrong."""

    def __init__(self, cable: Cable) -> None:
        self.cable = cable
        self.wrong: list[str] = []

    def start(self, course: Course) -> None:
        """Start all processes at the other end."""
        course.site.within = self.cable.within
        course.site.environment["DATABASE_URL"] = course.site.environment["DATABASE_URL"].replace(
            f"@/{course.backend.root}/pg/", f"@{self.cable.here}:{PORT}/")
        course.site.environment["SQUAREFIELD_API_ANONYMOUS"] = "100000"
        course.site.host = self.cable.there
        course.site.start("web", "--host", "0.0.0.0", "--port", str(course.site.port), "--processes", "1")  # noqa: S104
        assert await_true(lambda: asked(course) == "200", PATIENCE_SECONDS), course.site.log_tails()
        # Last: the matches would be over before the cable is cut. The coordinator waits for both workers, because a
        # worker connects to the database when it claims its first match.
        for _ in range(2):
            course.site.start("worker", "--concurrency", "2")
        assert await_true(lambda: Worker.objects.count() == 2, PATIENCE_SECONDS), course.site.log_tails()
        course.site.start("coordinator")

    def strike(self, course: Course) -> None:
        """Cut the cable until both sides have closed their connections, then restore it."""
        # The second worker may claim its first match a moment later than the first one.
        await_true(lambda: len(self.cable.connections(PORT)) >= len(course.site.services), CLAIMED_WITHIN_SECONDS)
        before = len(self.cable.connections(PORT))
        self.cable.cut()
        cut_at = time.monotonic()
        # A request on a connection that was in use must be answered too, and correctly.
        self._check(asked(course) == "503", "web did not answer 503")
        left = GIVEN_UP_WITHIN_SECONDS - (time.monotonic() - cut_at)
        self._check(await_true(lambda: not self.cable.connections(PORT), max(left, 1.0)),
                  f"of {before} connections these were not closed: {self.cable.connections(PORT)}")
        left = GIVEN_UP_WITHIN_SECONDS - (time.monotonic() - cut_at)
        self._check(await_true(lambda: not clients(self.cable.there), max(left, 1.0)),
                  f"the server did not close {clients(self.cable.there)} connections")
        self._check(asked(course) == "503", "web did not keep answering 503")
        self._check(before >= len(course.site.services), f"only {before} connections were open")
        self.cable.restore()
        self._check(await_true(lambda: asked(course) == "200", PATIENCE_SECONDS), "web did not recover")

    def _check(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.wrong.append(otherwise)


class TestADatabaseThatVanishes:
    @pytest.mark.timeout(900)
    def test_is_detected_within_a_minute_and_matches_resume_later(self, backend, cable, tmp_path):
        vanishing = Vanishing(cable)
        fault = Fault("PostgreSQL vanished", vanishing.strike, most=1, prepare=vanishing.start,
                      after=lambda _: vanishing.wrong)
        line = hold(backend, fault, bots=BOTS, seed=1, logs=tmp_path)
        assert line.times == 1, "the cable was not cut during matches"
        assert not line.broken, "\n".join(line.broken)
