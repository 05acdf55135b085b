"""Checks in the sandbox, by this process and by worker processes."""

import io
import os
import signal
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from engines.records.record import GameRecord, verify
from tests.tournaments.conftest import make_archive
from tests.waiting import wait_for
from tournaments.models import Check, Submission, Version
from tournaments.services.bots.submissions import accept_upload
from tournaments.worker import checks
from tournaments.worker.worker import WorkerContext, this_process

pytestmark = [pytest.mark.workers, pytest.mark.serial]
# Records that it was built: its result is what runs.
BUILD = """["sh", "-c", "date +%N > built; echo built; echo '<b>said</b>' >&2"]"""


class TestACheck:
    """The worker's part of a check, in this process."""

    @pytest.fixture
    def check(self, transactional_db, author):
        """Return a function that uploads a bot, optionally spoils the upload, and checks it."""

        def check(code: str | None = None, spoil=lambda submission: None, **manifest: str) -> Submission:
            submission = accept_upload(archive=make_archive("Otter", code, **manifest), filename="otter.zip",
                                       uploader=author, now=timezone.now())
            spoil(submission)
            checks.check(submission.pk)
            return Submission.objects.get(pk=submission.pk)

        return check

    @pytest.mark.slow
    def test_builds_once_for_all_workers_and_plays_two_games_of_each_ruleset(self, check):
        submission = check(build=BUILD, rulesets='["square-grid-hex", "squ"]')
        assert (submission.status, submission.refusal) == ("accepted", "")
        steps, games = submission.checks.get().steps, submission.checks.get().games.all()
        assert len(steps) == 4 + 4
        assert all(step["passed"] for step in steps)
        assert sorted((game.number, game.seat) for game in games) == [(1, 0), (2, 1), (3, 0), (4, 1)]
        assert len({(game.ruleset, game.seat) for game in games}) == 4
        for game in games:
            verify(GameRecord.from_dict(game.record))
            assert game.record["seats"][game.seat]["name"] == "Otter"
        assert "<b>said</b>" in submission.log
        version = submission.version
        assert version.artefact.name == f"builds/{version.artefact_sha256}"
        here = this_process().sandbox.runtime.staged(submission.sha256)
        with version.artefact.open("rb") as file:
            elsewhere = this_process().sandbox.runtime.stage_built(file.read(), sha256=version.artefact_sha256)
        assert (elsewhere.path / "built").read_text() == (here.path / "built").read_text()

    def test_shows_where_the_handshake_failed(self, check):
        submission = check("raise SystemExit('I will not')")
        assert (submission.step, submission.line) == ("handshake", "I will not")
        assert "crash: it exited with status 1" in submission.refusal

    def test_is_void_when_the_archive_is_damaged_or_the_worker_fails(self, check, archives):
        submission = check(spoil=lambda made: (archives / made.archive.name).write_bytes(b"rot"))
        assert submission.status == "received"
        assert "its storage is damaged" in submission.checks.get().reason
        check("# another", spoil=lambda made: (archives / made.archive.name).unlink())
        assert "is missing from the storage" in Check.objects.latest("pk").reason

    def test_stops_when_its_lease_is_lost(self, check, monkeypatch, settings):
        start = WorkerContext.sandbox.__get__(this_process()).start

        def lose(*arguments, **options):
            Submission.objects.update(attempt=7)
            return start(*arguments, **options)

        settings.LEASE_SECONDS = 0.3
        monkeypatch.setattr(this_process().sandbox, "start", lose)
        assert check().status == "checking"
        assert not Version.objects.exists()


@pytest.mark.slow
@pytest.mark.needs_servers
class TestWorkers:
    def test_repeat_the_check_of_a_lost_one_and_upload_bot_waits_for_their_verdicts(
            self, site, author, archives, transactional_db, tmp_path):
        site.environment["SQUAREFIELD_LEASE_SECONDS"] = "600"
        submission = accept_upload(archive=make_archive("Vole", rulesets='["squ"]'), filename="vole.zip",
                                   uploader=author, now=timezone.now())
        # A worker that opens this waits until somebody writes to it.
        archive, whole = archives / submission.archive.name, tmp_path / "whole"
        archive.rename(whole)
        os.mkfifo(archive)
        site.start("coordinator")
        site.start("worker", "--concurrency", "2")
        check = wait_for(lambda: Check.objects.filter(status="running").first(), "a worker has begun")
        os.kill(int(check.worker.rpartition(":")[2]), signal.SIGKILL)
        archive.unlink()
        whole.rename(archive)
        Submission.objects.update(lease_until=timezone.now() - timedelta(hours=1))
        site.wait_for(Version.objects.exists)
        assert list(submission.checks.values_list("number", "status")) == [(1, "void"), (2, "counted")]
        assert submission.checks.first().reason.endswith("ran out")

        good, bad = tmp_path / "good.zip", tmp_path / "bad.zip"
        good.write_bytes(make_archive("Otter", rulesets='["squ"]'))
        bad.write_bytes(make_archive("Beaver", build='"sh -c \'echo gone wrong; false\'"'))
        said = io.StringIO()
        with pytest.raises(CommandError) as refusal:
            call_command("upload_bot", str(good), str(bad), "--owner", "author", "--wait", stdout=said)
        assert "qualification game 2 of 2, SQU 6×6: " in said.getvalue()
        assert f"{good}: Otter v1, plays squ\n" in said.getvalue()
        assert str(refusal.value) == (f"{bad}: Build: the build command ended with status 1.\n"
                                      "Line to fix: gone wrong\ngone wrong\n")
