"""From an upload to a version: claiming and judging submissions, and the notes of running checks."""

from datetime import timedelta

import kombu
import pytest

from engines.check import Failure, Stage, Step
from tests.factories import random_record
from tests.tournaments.conftest import NOW, make_archive
from tournaments.models import Bot, Check, QualificationGame, Submission, Version
from tournaments.platform.messaging.queues import SUBMISSIONS_QUEUE
from tournaments.services.bots.check_notes import LONGEST_END, note_game, note_log, note_steps
from tournaments.services.bots.qualification import accept, claim, reap, refuse, void
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.dispatch import publish_due
from tournaments.services.shared.leases import renew

MINUTE = timedelta(minutes=1)
ASTRAY = Failure(Stage.GAME, "qualification game 2 of 2, SQU 6×6, ply 2", "illegal: there is no cell z9", "z9",
                 "oh\0no")


@pytest.fixture
def upload(author, db):
    """Return a function that uploads an archive and returns its submission."""

    def upload(name: str = "Otter", code: str | None = None, uploader=author) -> Submission:
        return accept_upload(archive=make_archive(name, code), filename=f"{name}.zip", uploader=uploader, now=NOW)

    return upload


def take(submission: Submission, now=NOW, worker: str = "host:1", tier: str = "standard"):
    return claim(submission_id=submission.pk, worker=worker, tier=tier, now=now)


def taken_on_trust(lease, now=NOW) -> Version | None:
    return accept(lease, rulesets=["squ"], artefact=None, log="", now=now)


class TestClaiming:
    def test_gives_a_submission_to_one_worker_while_that_renews_its_lease(self, upload):
        submission = upload()
        lease = take(submission)
        assert take(submission) is None
        submission.refresh_from_db()
        assert (submission.status, submission.attempt, lease.check.number) == ("checking", 1, 1)
        assert renew(Submission, {lease.work.pk: lease.number}, NOW + MINUTE / 2) == set()
        assert [reap(NOW + MINUTE * 1.9), reap(NOW + MINUTE * 2.1)] == [0, 1]
        assert renew(Submission, {lease.work.pk: lease.number}, NOW + MINUTE * 3) == {lease.work.pk}

    def test_keeps_untrusted_code_out_of_weaker_sandboxes(self, upload, staff):
        assert take(upload(), tier="reduced") is None
        assert take(upload("Beaver", uploader=staff), tier="reduced") is not None

    def test_is_announced_on_a_queue_of_its_own(self, upload, redis_url):
        upload("Otter")
        upload("Beaver")
        assert publish_due(NOW - MINUTE) == 0
        assert [publish_due(NOW), publish_due(NOW)] == [2, 0]
        with kombu.Connection(redis_url) as connection:
            assert connection.default_channel.client.llen(SUBMISSIONS_QUEUE) == 2
        assert publish_due(NOW + MINUTE) == 2


class TestJudging:
    def test_creates_a_version_and_its_bot(self, upload):
        submission = upload()
        assert not Bot.objects.exists()
        version = taken_on_trust(take(submission))
        submission.refresh_from_db()
        assert (str(version), version.bot.owner, submission.status) == ("Otter v1", submission.uploader, "accepted")
        assert (version.artefact.name, version.artefact_sha256) == (submission.archive.name, submission.sha256)
        assert Check.objects.get().status == "counted"
        # Versions are numbered in the order in which they qualify.
        early, late = take(upload(code="# early")), take(upload(code="# late"))
        assert [taken_on_trust(late).number, taken_on_trust(early).number] == [2, 3]

    @pytest.mark.database
    def test_refuses_with_step_message_line_and_log(self, upload):
        submission = upload()
        assert refuse(take(submission), ASTRAY, log="cc bot.c", now=NOW)
        submission.refresh_from_db()
        assert (submission.status, submission.step) == ("refused", "qualification game 2 of 2, SQU 6×6, ply 2")
        assert submission.refusal == "Qualification game 2 of 2, SQU 6×6, ply 2: illegal: there is no cell z9."
        assert (submission.line, submission.log, submission.stderr) == ("z9", "cc bot.c", "oh\\x00no")
        assert not Bot.objects.exists()

    @pytest.mark.database
    def test_counts_once_even_if_a_late_worker_returns(self, upload):
        submission, record = upload(), random_record("squ", 6, ("Otter", "random"), 3)
        late = take(submission)
        note_game(late.check, 1, record)
        assert QualificationGame.objects.count() == 1
        assert reap(NOW + 2 * MINUTE) == 1
        note_game(late.check, 2, record)
        note_log(late.check, "late")
        note_steps(late.check, [Step(Stage.BUILD, "build")])
        check = submission.checks.get()
        assert (check.games.count(), check.log, check.steps) == (0, "", [])
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

    def test_is_retried_with_growing_delays_after_void_checks(self, upload):
        submission, now, waits = upload(), NOW, []
        for _ in range(10):
            void(take(submission, now), "the sandbox failed: no room", now)
            submission.refresh_from_db()
            assert (submission.status, submission.refusal) == ("received", "")
            assert take(submission, submission.due_at - timedelta(seconds=1)) is None
            waits.append(round((submission.due_at - now).total_seconds()))
            now = submission.due_at
        assert (waits[:4], waits[-1]) == ([8, 16, 32, 64], 600)


class TestAGrowingLog:
    @pytest.mark.database
    def test_is_cut_to_its_last_complete_lines_until_the_check_is_over(self, upload):
        submission = upload()
        lease = take(submission)
        note_log(lease.check, "x" * 3 * LONGEST_END)
        assert submission.checks.get().log == "x" * LONGEST_END
        text = "".join(f"line {number}: nul \0 and more\n" for number in range(2000))
        note_log(lease.check, text)
        check = submission.checks.get()
        assert len(check.log) <= LONGEST_END * 4
        assert check.log.startswith("line ")
        assert check.log.endswith("line 1999: nul \\x00 and more\n")
        refuse(lease, ASTRAY, log=text, now=NOW)
        submission.refresh_from_db()
        assert submission.checks.get().log == ""
        assert submission.log.startswith("line 0:")
