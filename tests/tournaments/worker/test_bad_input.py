"""A worker that may not or cannot work: it says in one line what is wrong and how to fix it, and takes no match."""

import os
import re
from collections.abc import Iterator
from itertools import takewhile

import pytest
import redis
from django.core.management import call_command
from django.utils import timezone

from engines.rules.registry import RULESETS, versions
from tests.tournaments.worker.test_machines import declaration
from tests.tournaments.worker.test_start import worker
from tournaments.models import Release, Worker
from tournaments.services.matches import releases, workers
from tournaments.services.matches.workers import WorkerRefused
from tournaments.setup.embedded import EmbeddedRedis, TemporaryPostgres

NEWER = {**versions(), "squ": 2}
pytestmark = [pytest.mark.serial, pytest.mark.slow]


@pytest.fixture
def refused(site_environment):
    """Return a function that starts a worker, and returns the only line of its failure."""
    def refused(*, before=(), **environment: str) -> str:
        with worker({**site_environment, **environment}, before=before) as process:
            said = list(takewhile(lambda line: not line.startswith("This worker plays"), process.stderr))
            lines = [line.rstrip() for line in said if not line.startswith("Tools for bots")]
            assert process.wait(60) == 1, "it has started"
        assert not Worker.objects.exists()
        assert len(lines) == 1, lines
        assert lines[0].startswith("CommandError: ")
        return lines[0].removeprefix("CommandError: ")

    return refused


@pytest.fixture
def as_root():
    if os.geteuid() != 0:
        pytest.skip("needs cgroups: an ordinary user cannot mount file systems here")


def mounted(place, options: str, then: str = "true") -> list[str]:
    """Return the words before a command that runs it with a file system in memory at a place."""
    return ["unshare", "--mount", "sh", "-c",
            f'mount -t tmpfs -o {options} test {place} && {{ {then}; }} && exec "$@"', "sh"]


class TestSecrets:
    @pytest.fixture
    def postgres(self) -> Iterator[TemporaryPostgres]:
        with TemporaryPostgres() as server:
            (server.cluster / "pg_hba.conf").write_text("local all all scram-sha-256\n")
            server.run("pg_ctl", "reload", "-D", str(server.cluster))
            yield server

    @pytest.mark.needs_servers
    def test_of_the_database_are_wrong(self, refused, postgres):
        said = refused(DATABASE_URL=postgres.url.replace("@", ":wrong@", 1))
        assert re.fullmatch(r"The worker cannot use the database: .*password authentication failed for user "
                            r'"squarefield".* Check user, password, host and name in DATABASE_URL\.', said)
        assert "wrong" not in said

    def test_of_the_broker_are_wrong(self, refused):
        with EmbeddedRedis() as server:
            redis.Redis(unix_socket_path=str(server.socket)).config_set("requirepass", "right")
            url = server.url.replace("redis+socket://", "redis+socket://:wrong@")
            said = refused(REDIS_URL=url)
        assert said.startswith("The broker refuses this worker: ")
        assert said.endswith(". Check user and password in REDIS_URL.")
        assert "wrong@" not in said


class TestADatabase:
    @pytest.mark.needs_servers
    def test_without_tables_names_the_command_that_makes_them_on_postgresql(self, refused):
        with TemporaryPostgres() as server:
            self.expect_the_command(refused(DATABASE_URL=server.url))
    def test_without_tables_names_the_command_that_makes_them_on_sqlite(self, refused, tmp_path):
        self.expect_the_command(refused(DATABASE_URL=f"sqlite:///{tmp_path}/empty"))

    def expect_the_command(self, said):
        assert said.startswith("The database lacks tables of this release")
        assert "Run manage.py migrate" in said

    @pytest.mark.needs_servers
    def test_that_does_not_answer_is_named(self, refused, tmp_path):
        said = refused(DATABASE_URL=f"postgres://squarefield@/{tmp_path}/squarefield")
        assert said.startswith("The worker cannot use the database: ")


class TestRules:
    def test_of_another_release_are_named(self, refused):
        Release.objects.create(rules=NEWER, software="9.0", declared_at=timezone.now())
        assert refused() == (
            "This worker takes no matches, because it plays by other rules than the site: squ has version 1 instead of "
            "2. Install the site's release here; or, if this release is the newer one, run its manage.py migrate.")

    @pytest.mark.django_db
    def test_are_declared_by_migrate_only_if_they_changed(self):
        before = Release.objects.count()
        Release.objects.create(rules=NEWER, software="9.0", declared_at=timezone.now())
        for _ in range(2):
            call_command("migrate", verbosity=0)
        assert Release.objects.count() == before + 2
        assert Release.objects.latest("pk").rules == {slug: ruleset.version for slug, ruleset in RULESETS.items()}

    @pytest.mark.django_db
    def test_that_change_let_the_workers_with_the_old_ones_drain(self, now, staff):
        releases.declare(versions(), "1.0", now=now)
        workers.declare(declaration("old:1"), now=now)
        workers.declare(declaration("new:1"), now=now)
        Worker.objects.filter(name="new:1").update(rules=NEWER)
        Worker.objects.filter(name="old:1").update(rules=None)  # of a release that did not report them
        assert releases.declare(NEWER, "2.0", now=now) == ["old:1"]
        assert releases.declare(versions(), "1.0", now=now) == ["new:1"]
        with pytest.raises(WorkerRefused, match="plays by other rules than the site"):
            workers.resume(worker=Worker.objects.get(name="new:1"), actor=staff, now=now)

    @pytest.mark.django_db
    def test_are_no_conflict_if_only_one_release_has_the_ruleset(self, now):
        fewer = {slug: version for slug, version in versions().items() if slug != "squ"}
        releases.declare(fewer, "1.0", now=now)
        worker = workers.declare(declaration("old:1"), now=now)
        assert releases.declare(versions(), "2.0", now=now) == []
        assert not worker.draining
        assert releases.conflicts(fewer) == ""
class TestStorage:
    @pytest.mark.usefixtures("as_root")
    def test_that_is_read_only_is_named(self, refused, tmp_path):
        said = refused(SQUAREFIELD_ARCHIVES=str(tmp_path), before=mounted(tmp_path, "ro"))
        assert said == (
            f"The worker cannot store builds in {tmp_path}: [Errno 30] Read-only file system: '{tmp_path}/builds'. "
            "Mount the directory builds in it writable; the rest may be read-only for workers.")

    @pytest.mark.usefixtures("as_root")
    def test_that_is_full_is_named(self, refused, tmp_path):
        full = mounted(tmp_path, "size=64k", f"head --bytes 64K /dev/zero >{tmp_path}/everything")
        said = refused(SQUAREFIELD_ARCHIVES=str(tmp_path), before=full)
        assert said.startswith(f"The worker cannot store builds in {tmp_path}: [Errno 28] No space left on device")
        assert said.endswith(". Free some space there, or make the volume larger.")

    def test_that_does_not_answer_is_named(self, refused):
        said = refused(SQUAREFIELD_STORAGE_URL="s3://bots/site?endpoint_url=http://127.0.0.1:9&region_name=eu-1",
                       AWS_ACCESS_KEY_ID="key", AWS_SECRET_ACCESS_KEY="of no use")
        assert said.startswith("The worker cannot store builds in the bucket bots: ")
        assert said.endswith(". Check SQUAREFIELD_ARCHIVES, or SQUAREFIELD_STORAGE_URL and its keys.")
class TestTheDisk:
    @pytest.mark.usefixtures("as_root")
    def test_that_is_full_is_named(self, refused, tmp_path):
        """With a single MB left, Python still accepts the directory, but the worker cannot stage its files."""
        full = f"fallocate --length 15M {tmp_path}/everything"
        said = refused(TMPDIR=str(tmp_path), before=mounted(tmp_path, "size=16m,mode=1777", full))
        assert said.startswith("The worker cannot prepare its sandbox: ")
        assert f" in {tmp_path}/" in said
        assert said.endswith("[Errno 28] No space left on device. Is there space on the disk? Otherwise set TMPDIR to "
                             "another directory.")
