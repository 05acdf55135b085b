"""A database upgrade while the previous release keeps reading and writing."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from tests.bench.claims import grow
from tests.factories import make_event, make_version, play_match
from tests.tournaments.next_release import NEWEST
from tests.tournaments.web.server import Author, Reader, Visitor, start_web
from tournaments.models import Attempt, Game, Match, Team
from tournaments.models.lifecycle import AttemptStatus, MatchStatus

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers,
              pytest.mark.thorough]
ROOT = Path(__file__).resolve().parents[3]
NEXT_RELEASE = "tests.tournaments.next_release_settings"
# A session that waits longer for a lock gets an error, and the test fails.
LONGEST_WAIT = "10s"


class Worker(Visitor):
    """Claims and finishes matches as a worker of the previous release."""

    def __init__(self, matches: list[Match]) -> None:
        super().__init__()
        self.matches = matches

    def visit(self, number: int) -> str:
        return str(play_match(self.matches[number], now=timezone.now()).pk)

    def run(self) -> None:
        super().run()
        connection.close()


@pytest.fixture
def impatient(transactional_db) -> Iterator[None]:
    """A database whose sessions, except the test's own, wait at most LONGEST_WAIT for locks."""
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} SET lock_timeout TO '{LONGEST_WAIT}'")
    yield
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} RESET lock_timeout")


@pytest.fixture
def migrate(site) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start `manage.py migrate` of the next release; afterwards the database is migrated back to this release."""
    environment = {**site.environment, "DJANGO_SETTINGS_MODULE": NEXT_RELEASE, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "manage.py", "migrate", "--no-input"]

    def start(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen([*command, *words], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    yield start
    subprocess.run([*command, "tournaments", NEWEST], cwd=ROOT, env=environment, check=True, capture_output=True)


def another_session() -> dict[str, object]:
    """Parameters for a connection to the test's database outside Django."""
    settings = connection.settings_dict
    names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
    return {name: settings[key] for name, key in names.items() if settings[key]}


def read_until(process: subprocess.Popen[str], words: str, times: int) -> None:
    """Return when the process has printed `words` the given number of times."""
    said = []
    for line in process.stdout:
        said.append(line)
        times -= words in line
        if times == 0:
            return
    raise AssertionError("".join(said))


class TestAnUpgrade:
    def test_delays_no_reader_or_writer_even_while_it_waits(
        self, site, impatient, migrate, staff,
    ):
        versions = [make_version(f"bot {number}") for number in range(50)]
        event = make_event(versions, ruleset="square-grid-hex", size=3)
        grow(2000)
        matches = list(Match.objects.filter(event=event).order_by("pk"))
        address = start_web(site)
        visitors = [
            Reader(address, ["/", "/games/", f"/events/{event.slug}/", f"/ladders/{event.ladder.slug}/"]),
            Reader(address, ["/api/games/", "/api/matches/", f"/api/events/{event.slug}/standings/"]),
            Author(address), Worker(matches),
        ]
        for visitor in visitors:
            visitor.start()

        def go_on(visits: int) -> None:
            """Wait until every visitor has been served this many more times."""
            goals = [len(visitor.done) + visits for visitor in visitors]
            site.wait_for(lambda: all(
                visitor.refusal or len(visitor.done) >= goal for visitor, goal in zip(visitors, goals, strict=True)))

        go_on(3)
        with psycopg.connect(**another_session()) as dump:
            # pg_dump holds this lock while it runs; it blocks ALTER TABLE.
            dump.execute("LOCK TABLE tournaments_match, tournaments_game IN ACCESS SHARE MODE")
            upgrade = migrate()
            read_until(upgrade, "Another session holds a lock", times=1)
            go_on(5)
            read_until(upgrade, "Another session holds a lock", times=1)
        rest, _ = upgrade.communicate()
        assert upgrade.returncode == 0, rest
        go_on(5)
        for visitor in visitors:
            visitor.leave()

        with connection.cursor() as cursor:
            columns = {column.name for column in connection.introspection.get_table_description(
                cursor, "tournaments_match")}
        assert "stake" in columns
        authors, worker = visitors[2:]
        assert set(authors.done) == set(Team.objects.values_list("name", flat=True))
        finished = Match.objects.filter(event=event, status=MatchStatus.FINISHED)
        assert {str(match.pk) for match in finished} == set(worker.done)
        assert Attempt.objects.filter(match__in=finished, status=AttemptStatus.COUNTED).count() == len(worker.done)
        assert Game.objects.filter(match__in=finished).count() == 2 * len(worker.done)
