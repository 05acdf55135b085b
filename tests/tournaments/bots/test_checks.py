"""From an upload to a version: judging submissions, and real checks by real workers."""

import contextlib
import io
import os
import signal
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from engines.check import Failure, Stage, Step
from engines.records.record import GameRecord, verify
from engines.rules.registry import RULESETS
from tests.tournaments.conftest import NOW, RANDOM_BOT, make_archive
from tournaments.models import Bot, Check, Submission, Version
from tournaments.platform.messaging.queues import SUBMISSIONS_QUEUE
from tournaments.services.bots.check_notes import note_steps
from tournaments.services.bots.qualification import accept, claim, reap, refuse, void
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.dispatch import publish_due
from tournaments.services.shared.leases import renew
from tournaments.worker import checks
from tournaments.worker.worker import WorkerContext, this_process

MINUTE = timedelta(minutes=1)
ASTRAY = Failure(Stage.GAME, "qualification game 2 of 2, SQU 6×6, ply 2", "illegal: there is no cell z9", "z9",
                 "oh\0no")
# Records that it was built. The build takes a while, and its result is what runs.
BUILD = """["sh", "-c", "sleep 1; date +%N > built; echo built; echo '<b>said</b>' >&2"]"""


@pytest.fixture
def upload(author, db):
    """Return a function that uploads an archive and returns its submission."""

    def upload(name: str = "Otter", code: str | None = None, uploader=author, **manifest: str) -> Submission:
        return accept_upload(archive=make_archive(name, code, **manifest), filename=f"{name}.zip", uploader=uploader,
                             now=NOW)

    return upload


def take(submission: Submission, now=NOW, worker: str = "host:1", tier: str = "standard"):
    return claim(submission_id=submission.pk, worker=worker, tier=tier, now=now)


def taken_on_trust(lease, now=NOW) -> Version | None:
    return accept(lease, rulesets=["squ"], artefact=None, log="", now=now)


class TestClaiming:
    def test_gives_a_submission_to_one_worker(self, upload):
        submission = upload()
        lease = take(submission)
        assert take(submission) is None
        submission.refresh_from_db()
        assert (submission.status, submission.attempt, lease.check.number) == ("checking", 1, 1)

    def test_keeps_untrusted_code_out_of_weaker_sandboxes(self, upload, staff):
        assert take(upload(), tier="reduced") is None
        assert take(upload("Beaver", uploader=staff), tier="reduced") is not None

    def test_lasts_only_while_it_is_renewed(self, upload):
        lease = take(upload())
        assert renew(Submission, {lease.work.pk: lease.number}, NOW + MINUTE / 2) == set()
        assert reap(NOW + MINUTE * 1.9) == 0
        assert reap(NOW + MINUTE * 2.1) == 1
        assert renew(Submission, {lease.work.pk: lease.number}, NOW + MINUTE * 3) == {lease.work.pk}


class TestJudging:
    def test_creates_a_version_and_its_bot(self, upload):
        submission = upload()
        assert not Bot.objects.exists()
        version = taken_on_trust(take(submission))
        submission.refresh_from_db()
        assert (str(version), version.bot.owner, submission.status) == ("Otter v1", submission.uploader, "accepted")
        assert (version.artefact.name, version.artefact_sha256) == (submission.archive.name, submission.sha256)
        assert Check.objects.get().status == "counted"

    def test_refuses_with_step_message_line_and_log(self, upload):
        submission = upload()
        assert refuse(take(submission), ASTRAY, log="cc bot.c", now=NOW)
        submission.refresh_from_db()
        assert (submission.status, submission.step) == ("refused", "qualification game 2 of 2, SQU 6×6, ply 2")
        assert submission.refusal == "Qualification game 2 of 2, SQU 6×6, ply 2: illegal: there is no cell z9."
        assert (submission.line, submission.log, submission.stderr) == ("z9", "cc bot.c", "oh\\x00no")
        assert not Bot.objects.exists()

    def test_counts_once_even_if_a_late_worker_returns(self, upload):
        submission = upload()
        late = take(submission)
        assert reap(NOW + 2 * MINUTE) == 1
        mine = take(submission, NOW + 3 * MINUTE, worker="host:2")
        assert refuse(late, ASTRAY, log="", now=NOW + 3 * MINUTE) is False
        assert taken_on_trust(late) is None
        assert taken_on_trust(mine, NOW + 4 * MINUTE) is not None
        assert list(submission.checks.values_list("number", "status")) == [(1, "void"), (2, "counted")]
        assert Version.objects.count() == 1

    def test_gives_a_name_to_only_one_author(self, upload, staff):
        first, second = take(upload()), upload("Beaver", uploader=staff)
        Submission.objects.filter(pk=second.pk).update(name="Otter", slug="otter")
        Submission.objects.filter(pk=first.work.pk).update(status="refused", refusal="x", judged_at=NOW)
        lease = take(second)
        Bot.objects.create(slug="otter", name="Otter", owner=first.work.uploader, created_at=NOW)
        assert taken_on_trust(lease) is None
        second.refresh_from_db()
        assert (second.status, second.step) == ("refused", "name")
        assert second.refusal.startswith("The name Otter belongs to another author")

    def test_numbers_versions_in_the_order_in_which_they_qualify(self, upload):
        early, late = take(upload()), take(upload(code="# later"))
        assert [taken_on_trust(late).number, taken_on_trust(early).number] == [1, 2]


class TestAVoidCheck:
    def test_is_retried_with_growing_delays(self, upload, settings):
        submission, now = upload(), NOW
        waits = []
        for _ in range(10):
            void(take(submission, now), "the sandbox failed: no room", now)
            submission.refresh_from_db()
            assert (submission.status, submission.refusal) == ("received", "")
            assert take(submission, submission.due_at - timedelta(seconds=1)) is None
            waits.append(round((submission.due_at - now).total_seconds()))
            now = submission.due_at
        assert waits[:4] == [8, 16, 32, 64]
        assert waits[-1] == 600


class TestPublishing:
    pytestmark = pytest.mark.serial

    def test_puts_due_submissions_on_their_own_queue(self, upload, redis_url):
        import kombu

        with kombu.Connection(redis_url) as connection:
            client = connection.default_channel.client
            client.flushdb()
            upload("Otter")
            upload("Beaver")
            assert publish_due(NOW - MINUTE) == 0
            assert [publish_due(NOW), publish_due(NOW)] == [2, 0]
            assert client.llen(SUBMISSIONS_QUEUE) == 2
            assert publish_due(NOW + MINUTE) == 2
            client.flushdb()


class TestPagesAndApi:
    @pytest.fixture
    def refused(self, upload):
        submission = upload()
        lease = take(submission)
        note_steps(lease.check, [Step(Stage.BUILD, "build", passed=True, seconds=1.5),
                                 Step(Stage.GAME, "qualification game 1 of 2", passed=False, note="<i>bad</i>")])
        refuse(lease, ASTRAY, log="secret \x1b[31m<script>", now=NOW)
        return submission

    def test_show_refusals_only_to_author_and_staff(self, refused, author, staff, client: Client, django_user_model):
        address = reverse("submission", args=[refused.pk])
        assert client.get(address).status_code == 404
        client.force_login(django_user_model.objects.create_user("rival"))
        assert client.get(address).status_code == 404
        for user in (author, staff):
            client.force_login(user)
            page = client.get(address)
            assert page.status_code == 200
            text = page.content.decode()
            assert "secret ⟨U+001B⟩[31m&lt;script&gt;" in text
            assert "&lt;i&gt;bad&lt;/i&gt;" in text
            assert "illegal: there is no cell z9" in text
            assert "no-store" in page["Cache-Control"]

    def test_return_refusals_only_to_author_and_staff(self, refused, author, staff, django_user_model):
        api = APIClient()
        api.force_authenticate(author)
        shown = api.get(f"/api/submissions/{refused.pk}/").json()
        assert (shown["log"], shown["line"], shown["status"]) == ("secret \x1b[31m<script>", "z9", "refused")
        assert [step["passed"] for step in shown["steps"]] == [True, False]
        assert "log" not in api.get("/api/submissions/").json()["results"][0]
        for user, status in ((staff, 200), (django_user_model.objects.create_user("rival"), 404)):
            api.force_authenticate(user)
            assert api.get(f"/api/submissions/{refused.pk}/").status_code == status

    def test_show_a_fault_of_the_service(self, upload, author, client):
        submission = upload()
        void(take(submission), "the sandbox failed: no room", NOW)
        client.force_login(author)
        page = client.get(reverse("submission", args=[submission.pk])).content.decode()
        assert "interrupted by a service fault, not by your bot: the sandbox failed: no room" in page
        assert 'http-equiv="refresh"' in page

    def test_list_uploads_on_the_bots_page_for_its_owner(self, enter, author, client):
        bot = enter("Otter").bot
        assert "Otter.zip" not in client.get(reverse("bot", args=[bot.slug])).content.decode()
        client.force_login(author)
        assert "Otter.zip" in client.get(reverse("bot", args=[bot.slug])).content.decode()


@pytest.mark.workers
@pytest.mark.serial
@pytest.mark.slow
class TestACheck:
    """The worker's part of a check, in this process."""

    @pytest.fixture
    def check(self, transactional_db):
        def check(submission: Submission) -> Submission:
            Submission.objects.filter(pk=submission.pk).update(due_at=timezone.now())
            checks.check(submission.pk)
            return Submission.objects.get(pk=submission.pk)

        return check

    def test_makes_a_bot_ready_to_play(self, check, upload):
        submission = check(upload())
        assert (submission.status, submission.refusal) == ("accepted", "")
        steps = submission.checks.get().steps
        assert len(steps) == 4 + 10
        assert all(step["passed"] for step in steps)
        games = submission.checks.get().games.all()
        assert [(game.number, game.seat, game.ruleset) for game in games] == [
            (2 * place + seat + 1, seat, slug) for place, slug in enumerate(RULESETS) for seat in (0, 1)]
        for game in games:
            verify(GameRecord.from_dict(game.record))
            assert game.record["seats"][game.seat]["name"] == "Otter"

    def test_builds_once_for_all_workers(self, check, upload):
        submission = check(upload(build=BUILD, rulesets='["squ"]'))
        assert (submission.status, submission.refusal) == ("accepted", "")
        assert "<b>said</b>" in submission.log
        version = submission.version
        assert version.artefact.name == f"builds/{version.artefact_sha256}"
        here = this_process().sandbox.runtime.staged(submission.sha256)
        with version.artefact.open("rb") as file:
            elsewhere = this_process().sandbox.runtime.stage_built(file.read(), sha256=version.artefact_sha256)
        assert (elsewhere.path / "built").read_text() == (here.path / "built").read_text()

    def test_shows_the_line_at_which_the_build_failed(self, check, upload):
        submission = check(upload(build='"sh -c \'echo bot.c:3: error: no such thing; exit 4\'"'))
        assert (submission.status, submission.step) == ("refused", "build")
        assert submission.refusal == "Build: the build command ended with status 4."
        assert submission.line == "bot.c:3: error: no such thing"

    def test_shows_where_the_handshake_failed(self, check, upload):
        submission = check(upload(code="raise SystemExit('I will not')"))
        assert (submission.step, submission.line) == ("handshake", "I will not")
        assert "crash: it exited with status 1" in submission.refusal

    def test_is_void_when_the_archive_is_damaged(self, check, upload, archives):
        submission = upload()
        (archives / submission.archive.name).write_bytes(b"rot")
        submission = check(submission)
        assert submission.status == "received"
        assert "its storage is damaged" in submission.checks.get().reason

    def test_is_void_when_the_worker_fails(self, check, upload, archives):
        submission = upload()
        (archives / submission.archive.name).unlink()
        with pytest.raises(FileNotFoundError):
            check(submission)
        assert Check.objects.get().reason.startswith("the worker failed: FileNotFoundError")

    def test_stops_when_its_lease_is_lost(self, check, upload, monkeypatch, settings):
        submission = upload()
        start = WorkerContext.sandbox.__get__(this_process()).start

        def lose(*arguments, **options):
            Submission.objects.filter(pk=submission.pk).update(attempt=7)
            return start(*arguments, **options)

        settings.LEASE_SECONDS = 0.3
        monkeypatch.setattr(this_process().sandbox, "start", lose)
        assert check(submission).status == "checking"
        assert not Version.objects.exists()


@pytest.mark.workers
@pytest.mark.serial
@pytest.mark.slow
class TestUploadBot:
    def test_waits_for_the_checks_and_shows_their_steps(self, site, author, transactional_db, tmp_path):
        good, bad = tmp_path / "good.zip", tmp_path / "bad.zip"
        good.write_bytes(make_archive("Otter", rulesets='["squ"]'))
        bad.write_bytes(make_archive("Beaver", build='"sh -c \'echo gone wrong; false\'"'))
        site.start("coordinator")
        site.start("worker", "--concurrency", "2")
        said = io.StringIO()
        with pytest.raises(CommandError) as refusal:
            call_command("upload_bot", str(good), str(bad), "--owner", "author", "--wait", stdout=said)
        assert "qualification game 2 of 2, SQU 6×6: " in said.getvalue()
        assert f"{good}: Otter v1, plays squ\n" in said.getvalue()
        assert str(refusal.value) == (f"{bad}: Build: the build command ended with status 1.\n"
                                      "Line to fix: gone wrong\ngone wrong\n")


@pytest.mark.workers
@pytest.mark.serial
@pytest.mark.slow
@pytest.mark.needs_servers
class TestLostWorkers:
    def test_have_the_check_repeated_and_one_verdict_counts(self, site, author, transactional_db):
        slow = RANDOM_BOT.replace("import sys", "import sys, time\ntime.sleep(2)").format(seed=3)
        submission = accept_upload(archive=make_archive("Otter", slow, rulesets='["squ"]'), filename="otter.zip",
                                   uploader=author, now=timezone.now())
        site.start("coordinator")
        site.start("worker", "--concurrency", "2")

        def running():
            return Check.objects.filter(status="running", steps__2__isnull=False).first()

        site.wait_for(running)
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(running().worker.rpartition(":")[2]), signal.SIGKILL)
        site.wait_for(Version.objects.exists)
        submission.refresh_from_db()
        assert submission.status == "accepted"
        assert list(submission.checks.values_list("number", "status")) == [(1, "void"), (2, "counted")]
        assert submission.checks.first().reason.endswith("ran out")
