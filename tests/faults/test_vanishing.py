"""A PostgreSQL over the network that vanishes: nobody is told that a connection has ended, and it has to be noticed."""

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from django.db import connection

from tests.faults.course import PATIENCE_SECONDS, Course, Fault, hold
from tests.faults.ground import Ground
from tests.faults.machinery.network import Cable
from tests.faults.machinery.processes import await_true
from tournaments.setup.bootstrap.children import Child
from tournaments.setup.embedded import TemporaryPostgres

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]
BOTS = 7
PORT = 5432
# A minute is promised. The kernel counts it, and not the processes, however much they have to do.
GIVEN_UP_WITHIN_SECONDS = 90
_ASK = """
import sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=120).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""


class PostgresOverTheCable(TemporaryPostgres):
    """A server that the other end of the cable reaches."""

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
def ground(cable, django_db_blocker, monkeypatch) -> Iterator[Ground]:
    made = Ground()
    monkeypatch.setattr(PostgresOverTheCable, "cable", cable, raising=False)
    made.postgres = PostgresOverTheCable(sockets=made.root / "pg")
    try:
        with django_db_blocker.unblock():
            made.start(BOTS)
            rules = made.postgres.cluster / "pg_hba.conf"
            rules.write_text("local all all trust\nhost all all samenet trust\n")
            made.postgres.run("pg_ctl", "reload", "-D", str(made.postgres.cluster))
            yield made
    finally:
        made.close()


def asked(course: Course) -> str:
    """The status that the web process answers to a request for what is in the database."""
    address = f"http://127.0.0.1:{course.site.port}/api/events/"
    done = subprocess.run([*course.site.within, sys.executable, "-c", _ASK, address], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or done.stderr[-300:]


def clients(address: str) -> int:
    """How many connections the server thinks it has with this address."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE client_addr = %s", [address])
        return int(cursor.fetchone()[0])


class Vanishing:
    """What happens to the site on one cable, and what was wrong with it."""

    def __init__(self, cable: Cable) -> None:
        self.cable = cable
        self.wrong: list[str] = []

    def start(self, course: Course) -> None:
        """Start everything at the other end."""
        course.site.within = self.cable.within
        course.site.environment["DATABASE_URL"] = course.site.environment["DATABASE_URL"].replace(
            f"@/{course.ground.root}/pg/", f"@{self.cable.here}:{PORT}/")
        course.site.environment["SQUAREFIELD_API_ANONYMOUS"] = "100000"
        course.start_as_usual()
        course.site.host = self.cable.there
        course.site.start("web", "--host", "0.0.0.0", "--port", str(course.site.port), "--processes", "1")  # noqa: S104
        assert await_true(lambda: asked(course) == "200", PATIENCE_SECONDS), course.site.words()

    def strike(self, course: Course) -> None:
        """Cut the cable until both sides have given each other up, and mend it."""
        before = len(self.cable.connections(PORT))
        self.cable.cut()
        cut_at = time.monotonic()
        # Also one that was in use just then is to be answered, and with what is true.
        self._see(asked(course) == "503", "web does not say that it cannot be served")
        left = GIVEN_UP_WITHIN_SECONDS - (time.monotonic() - cut_at)
        self._see(await_true(lambda: not self.cable.connections(PORT), max(left, 1.0)),
                  f"of {before} connections these are not given up: {self.cable.connections(PORT)}")
        left = GIVEN_UP_WITHIN_SECONDS - (time.monotonic() - cut_at)
        self._see(await_true(lambda: not clients(self.cable.there), max(left, 1.0)),
                  f"the server has not given up {clients(self.cable.there)} clients")
        self._see(asked(course) == "503", "web does not go on saying so")
        self._see(before >= len(course.site.services), f"{before} connections alone were open")
        self.cable.mend()
        self._see(await_true(lambda: asked(course) == "200", PATIENCE_SECONDS), "web does not come back")

    def _see(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.wrong.append(otherwise)


class TestADatabaseThatVanishes:
    @pytest.mark.timeout(900)
    def test_is_given_up_within_a_minute_and_matches_go_on_when_it_is_back(self, ground, cable, tmp_path):
        vanishing = Vanishing(cable)
        fault = Fault("PostgreSQL vanished", vanishing.strike, most=1, prepare=vanishing.start,
                      after=lambda _: vanishing.wrong)
        line = hold(ground, fault, bots=BOTS, seed=1, logs=tmp_path)
        assert line.times == 1, "the cable was not cut while matches were played"
        assert not line.broken, "\n".join(line.broken)
