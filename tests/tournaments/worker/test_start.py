"""The start of a worker: what it needs, the line that says what is wrong, and the line that says what it will play."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest
import redis
from django.core.files.storage import FileSystemStorage
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from engines.rules.registry import RULESETS, versions
from engines.sandbox import Runtime, Sandbox, SandboxError, SandboxUnavailable, Tier
from tests.tournaments.site import ROOT
from tournaments.celery import app
from tournaments.models import Release, Worker
from tournaments.platform.storage import storage_for
from tournaments.setup.bootstrap import restarts
from tournaments.setup.embedded import EmbeddedRedis
from tournaments.worker.start.errors import CannotWork
from tournaments.worker.start.isolation import intention, matches_at_a_time, open_sandbox
from tournaments.worker.start.servers import check_broker, check_database
from tournaments.worker.start.stores import check_disk, check_storage

REASON = "no cgroups are mounted here"
# The worker's own cgroups are found in the table of mounts: without a mount there are none.
WITHOUT_CGROUPS = ["unshare", "--mount", "sh", "-c", 'umount --recursive --lazy /sys/fs/cgroup && exec "$@"', "sh"]


@pytest.fixture
def sandbox(tmp_path):
    """Return a function that returns a sandbox of this tier."""
    return lambda tier, reason="": Sandbox(Runtime(tmp_path / "runtime"), tier, reason=reason)

# The first of them that starts a sandbox prepares it for all.
pytestmark = pytest.mark.slow


class TestTheLineOfAWorker:
    def test_names_rulesets_matches_and_isolation(self, sandbox):
        said = intention(sandbox(Tier.STANDARD), list(RULESETS), 4)
        assert said.startswith(f"This worker plays {', '.join(RULESETS)}, 4 matches at a time, with bots of all "
                               "authors. Sandbox: standard tier; ")
        assert ("each bot has a user ID of its own." in said) == (os.geteuid() == 0)
        assert "does not play" not in said

    def test_names_what_is_left_out(self, sandbox):
        said = intention(sandbox(Tier.STANDARD), ["squ"], 1)
        others = ", ".join(slug for slug in RULESETS if slug != "squ")
        assert said.startswith("This worker plays squ, 1 match at a time, ")
        assert said.endswith(f" It does not play {others}: --rulesets leaves them out.")

    def test_says_why_it_plays_only_bots_of_staff(self, sandbox):
        for tier in (Tier.REDUCED, Tier.UNSAFE_LOCAL):
            assert intention(sandbox(tier, REASON), ["squ"], 1).startswith(
                "This worker plays squ, 1 match at a time, only with bots uploaded by the site's staff, because the "
                f"sandbox has only the tier {tier}: {REASON}.")

    def test_is_about_one_match_at_a_time_without_cgroups(self, sandbox):
        assert [matches_at_a_time(sandbox(tier), 4) for tier in (Tier.STANDARD, Tier.REDUCED)] == [4, 1]

    def test_is_refused_for_more_matches_than_the_machine_has_slots_for(self, sandbox):
        assert matches_at_a_time(sandbox(Tier.STANDARD), 32) == 32
        with pytest.raises(CannotWork, match="--concurrency 40 needs 80 slots for bots, and a machine has 64: set it "
                                             "to 32 at most"):
            matches_at_a_time(sandbox(Tier.STANDARD), 40)


@pytest.mark.django_db(transaction=True)
class TestTheDatabase:
    @pytest.fixture(autouse=True)
    def before(self) -> Iterator[None]:
        before = dict(connection.settings_dict)
        yield
        connection.close()
        connection.settings_dict.update(before)

    def said(self, **facts: str) -> str:
        """Return why a worker cannot work with this database."""
        connection.close()
        connection.settings_dict.update(facts)
        with pytest.raises(CannotWork) as reason:
            check_database()
        assert connection.connection is None, "the worker forks later"
        return str(reason.value)

    @pytest.mark.database
    def test_without_tables_names_the_command_that_makes_them(self, tmp_path):
        empty = "postgres" if connection.vendor == "postgresql" else str(tmp_path / "empty")
        said = self.said(NAME=empty)
        assert said.startswith("The database lacks tables of this release")
        assert "Run manage.py migrate" in said

    @pytest.mark.needs_servers
    def test_that_refuses_or_does_not_answer_is_named(self, tmp_path):
        for facts in ({"USER": "stranger", "PASSWORD": "wrong"}, {"HOST": str(tmp_path)}):
            said = self.said(**facts)
            assert said.startswith("The worker cannot use the database: ")
            assert said.endswith(". Check user, password, host and name in DATABASE_URL.")
            assert "wrong" not in said

    @pytest.mark.serial
    def test_with_the_rules_of_another_release_is_refused_before_the_worker_declares_itself(self, redis_url):
        Release.objects.create(rules={**versions(), "squ": 2}, software="9.0", declared_at=timezone.now())
        with pytest.raises(CommandError) as refusal:
            call_command("worker", concurrency=1)
        assert str(refusal.value) == (
            "This worker takes no matches, because it plays by other rules than the site: squ has version 1 instead of "
            "2. Install the site's release here; or, if this release is the newer one, run its manage.py migrate.")
        assert not Worker.objects.exists()


class TestTheBroker:
    @pytest.mark.broker
    @pytest.mark.serial
    def test_that_refuses_is_named_and_one_that_does_not_answer_is_awaited_later(self, monkeypatch):
        with EmbeddedRedis() as server:
            redis.Redis(unix_socket_path=str(server.socket)).config_set("requirepass", "right")
            url = server.url.replace("redis+socket://", "redis+socket://:wrong@")
            monkeypatch.setattr(app.conf, "broker_read_url", url)
            with pytest.raises(CannotWork) as reason:
                check_broker()
        said = str(reason.value)
        assert said.startswith("The broker refuses this worker: ")
        assert said.endswith(". Check user and password in REDIS_URL.")
        assert "wrong@" not in said
        monkeypatch.setattr(app.conf, "broker_read_url", server.url)
        check_broker()


class TestStorage:
    def test_that_refuses_is_named_with_the_remedy(self, archives, monkeypatch):
        for number, remedy in {
            errno.EROFS: "Mount the directory builds in it writable; the rest may be read-only for workers",
            errno.ENOSPC: "Free some space there, or make the volume larger",
            errno.EIO: "Check SQUAREFIELD_ARCHIVES, or SQUAREFIELD_STORAGE_URL and its keys",
        }.items():
            def refuse(*_: object, number: int = number) -> str:
                raise OSError(number, os.strerror(number))

            monkeypatch.setattr(FileSystemStorage, "save", refuse)
            with pytest.raises(CannotWork) as reason:
                check_storage()
            assert str(reason.value) == (
                f"The worker cannot store builds in {archives}: [Errno {number}] {os.strerror(number)}. {remedy}.")

    def test_that_does_not_answer_is_named(self, settings, monkeypatch):
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of no use")
        store = storage_for("s3://bots/site?endpoint_url=http://127.0.0.1:9&region_name=eu-1", directory="")
        settings.STORAGES = {**settings.STORAGES, "default": store}
        with pytest.raises(CannotWork, match=r"^The worker cannot store builds in the bucket bots: "):
            check_storage()

    def test_that_works_keeps_nothing_of_the_test(self, archives):
        check_storage()
        assert not [path for path in archives.rglob("*") if path.is_file()]


class TestTheSandbox:
    def test_is_refused_if_it_cannot_be_prepared_or_has_a_tier_that_is_not_permitted(self, sandbox, settings,
                                                                                    monkeypatch):
        settings.ALLOW_REDUCED = False
        full = OSError(errno.ENOSPC, "No space left on device")
        remedy = "Is there space on the disk? Otherwise set TMPDIR to another directory."
        forbidden = "This worker may not play other authors' bots: the sandbox has only the tier reduced, because"
        for found, words in (
                (SandboxUnavailable("there is no bubblewrap"), "there is no bubblewrap"),
                (full, f"The worker cannot prepare its sandbox: {full}. {remedy}"),
                (sandbox(Tier.REDUCED, REASON), f"{forbidden} {REASON}. Set SQUAREFIELD_ALLOW_REDUCED=1 to")):
            def found_here(found: object = found, **_: object) -> Sandbox:
                if isinstance(found, Exception):
                    raise found
                return found

            monkeypatch.setattr(Sandbox, "open", found_here)
            with pytest.raises(CannotWork) as reason:
                open_sandbox()
            assert str(reason.value).startswith(words)
        settings.ALLOW_REDUCED = True
        assert open_sandbox().tier is Tier.REDUCED

    def test_is_refused_if_no_bot_can_start(self, sandbox, monkeypatch):
        def refuse(_: Sandbox) -> None:
            raise SandboxError("there is no room")

        monkeypatch.setattr(Sandbox, "try_out", refuse)
        with pytest.raises(CannotWork, match=r"^The worker cannot start bots: there is no room\. Is there space on"):
            check_disk(sandbox(Tier.STANDARD))

    @pytest.mark.serial
    @pytest.mark.workers
    @pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
    @pytest.mark.skipif(os.geteuid() != 0, reason="needs cgroups: only root can hide those of this machine")
    def test_without_cgroups_lets_a_real_worker_start_if_permitted(self, site_environment):
        command = [*WITHOUT_CGROUPS, sys.executable, "manage.py", "worker", "--concurrency", "2"]
        with subprocess.Popen(command, cwd=ROOT, env={**site_environment, restarts.VARIABLE: "0"}, text=True,
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            said = next((line for line in process.stderr if line.startswith("This worker")), "")
            process.terminate()
        assert "1 match at a time, only with bots uploaded by the site's staff" in said
        assert REASON in said
