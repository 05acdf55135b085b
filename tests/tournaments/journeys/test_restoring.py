"""A site that is lost while matches run, and is restored as the guide for operators describes."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from tests.tournaments.site import Site, finished
from tests.tournaments.web.server import Author, start_web
from tournaments.models import Attempt, Game, Match, Team
from tournaments.models.lifecycle import AttemptStatus, MatchStatus
from tournaments.setup.embedded import EmbeddedRedis, find_postgres_binaries

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.thorough, pytest.mark.database]
ROOT = Path(__file__).resolve().parents[3]
# Slow enough that a match that has just started is still running when the backup is made.
THINK_SECONDS = 0.8
DATABASE = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}


def commands(verb: str) -> str:
    """The commands in the guide for backing up or restoring this database."""
    text = (ROOT / "docs/how-to/operator/backup.md").read_text(encoding="utf-8")
    section = text.split(f"## {verb} {DATABASE[connection.vendor]}\n")[1].split("\n##")[0]
    return "\n".join(re.findall(r"^    (.*)$", section, re.MULTILINE))


class Operator:
    """Runs commands with the variables that the document requires."""

    def __init__(self, environment: dict[str, str], archives: Path, backup: Path) -> None:
        database = connection.settings_dict
        backup.mkdir()
        self.environment = {**environment, "BACKUP": str(backup), "SQUAREFIELD_ARCHIVES": str(archives)}
        if connection.vendor == "sqlite":
            self.environment["SQLITE"] = str(database["NAME"])
        else:
            self.environment |= {name: str(database[key]) for name, key in (
                ("PGHOST", "HOST"), ("PGPORT", "PORT"), ("PGUSER", "USER"), ("PGPASSWORD", "PASSWORD"),
                ("PGDATABASE", "NAME")) if database[key]}
            self.environment["PATH"] = f"{find_postgres_binaries()}{os.pathsep}{environment['PATH']}"

    def type(self, script: str) -> str:
        done = subprocess.run(["bash", "-eu", "-c", script], cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout

    def lose(self, archives: Path) -> None:
        """Delete all data of the site."""
        connection.close()
        shutil.rmtree(archives)
        self.type('rm "$SQLITE"' if connection.vendor == "sqlite" else 'dropdb --force "$PGDATABASE"')


@pytest.fixture
def elsewhere(site, tmp_path) -> Iterator[Site]:
    """The restored site on another machine, with an empty Redis and no unpacked bots."""
    with EmbeddedRedis() as redis, tempfile.TemporaryDirectory(prefix="sqf-") as unpacked:
        Path(unpacked).chmod(0o711)
        logs = tmp_path / "restored"
        logs.mkdir()
        restored = Site({**site.environment, "REDIS_URL": redis.url, "TMPDIR": unpacked}, logs)
        yield restored
        restored.stop()


class TestALostSite:
    def test_resumes_from_its_backup_with_each_match_once_and_correct_ratings(
        self, site, elsewhere, hold, archives, tmp_path,
    ):
        operator = Operator(elsewhere.environment, archives, tmp_path / "backup")
        event = hold("Lost", 4, think=THINK_SECONDS, cycles=2)
        author = Author(start_web(site))
        author.start()
        site.start("coordinator")
        site.start("worker", "--concurrency", "2")
        matches = Match.objects.filter(event=event)

        def begun_after(done: int) -> bool:
            """Return whether `done` matches are over and another has just started."""
            over = matches.filter(status=MatchStatus.FINISHED).count() >= done
            newest = Attempt.objects.filter(status=AttemptStatus.RUNNING).order_by("-started_at").first()
            return over and newest is not None and (timezone.now() - newest.started_at).total_seconds() < 1

        site.wait_for(lambda: begun_after(3))
        before = list(author.done)
        assert before
        operator.type(commands("Back up"))
        # More is lost than the backup contains.
        at_copy = matches.filter(status=MatchStatus.FINISHED).count()
        site.wait_for(lambda: matches.filter(status=MatchStatus.FINISHED).count() > at_copy)
        author.leave()
        site.stop()
        operator.lose(archives)

        said = operator.type(commands("Restore"))
        assert "equal, bit for bit" in said
        cut_off = list(matches.filter(status=MatchStatus.RUNNING))
        assert cut_off
        assert 3 <= matches.filter(status=MatchStatus.FINISHED).count() <= at_copy
        assert set(before) <= set(Team.objects.values_list("name", flat=True))

        elsewhere.start("coordinator")
        elsewhere.start("worker", "--concurrency", "2")
        elsewhere.wait_for(lambda: finished(event))
        assert set(matches.values_list("status", flat=True)) == {MatchStatus.FINISHED}
        assert matches.count() == 6 * 2
        for match in matches:
            assert Attempt.objects.filter(match=match, status=AttemptStatus.COUNTED).count() == 1
            assert sorted(Game.objects.filter(match=match).values_list("number", flat=True)) == [1, 2]
        for match in cut_off:
            first, *_ = Attempt.objects.filter(match=match).order_by("number")
            assert (first.status, first.reason.split(" of ")[0]) == (AttemptStatus.VOID, "the lease")
        assert "equal, bit for bit" in operator.type(f"{sys.executable} manage.py rebuild_ratings --check")
