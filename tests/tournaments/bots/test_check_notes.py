"""Progress notes of a running check, and the pages that show them to its author."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from engines.check import Failure, Stage, Step
from tests.factories import random_record
from tests.tournaments.conftest import make_archive
from tournaments.models import QualificationGame, Submission
from tournaments.services.bots.check_notes import LONGEST_END, note_game, note_log, note_steps
from tournaments.services.bots.qualification import accept, claim, reap, refuse, void
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.matches import workers
from tournaments.services.matches.workers import Declaration

MINUTE = timedelta(minutes=1)
RECORD = random_record("squ", 6, ("Otter", "random"), 3)
LOST = random_record("squ", 6, ("Otter", "random"), 3, fault_after=4)


@pytest.fixture
def upload(author):
    """Return a function that uploads an archive, `ago` seconds in the past, and returns its submission."""

    def upload(name: str = "Otter", ago: float = 0.0) -> Submission:
        return accept_upload(archive=make_archive(name), filename=f"{name}.zip", uploader=author,
                             now=timezone.now() - timedelta(seconds=ago))

    return upload


def take(submission: Submission, ago: float = 0.0):
    return claim(submission_id=submission.pk, worker="host:1", tier="standard",
                 now=timezone.now() - timedelta(seconds=ago))


def passed(stage: Stage, seconds: float = 0.5) -> Step:
    return Step(stage, str(stage), passed=True, note=f"{stage} note", seconds=seconds)


class TestAGrowingLog:
    def test_is_cut_to_its_last_complete_lines_until_the_check_is_over(self, upload):
        submission = upload()
        lease = take(submission)
        lines = [f"line {number}: nul \0 and more\n" for number in range(2000)]
        note_log(lease.check, "".join(lines))
        check = submission.checks.get()
        assert len(check.log) <= LONGEST_END * 4
        assert check.log.startswith("line ")
        assert check.log.endswith("line 1999: nul \\x00 and more\n")
        api = APIClient()
        api.force_authenticate(submission.uploader)
        assert api.get(f"/api/submissions/{submission.pk}/").json()["log"] == check.log
        refuse(lease, Failure(Stage.BUILD, "build", "no"), log="".join(lines), now=timezone.now())
        submission.refresh_from_db()
        assert submission.checks.get().log == ""
        assert submission.log.startswith("line 0:")

    def test_without_line_breaks_is_cut_anywhere(self, upload):
        lease = take(upload())
        note_log(lease.check, "x" * 3 * LONGEST_END)
        lease.check.refresh_from_db()
        assert lease.check.log == "x" * LONGEST_END


class TestAVoidCheck:
    @pytest.mark.parametrize("spoil", ["void", "reap"])
    def test_loses_its_games_and_ignores_late_notes(self, upload, spoil):
        submission = upload(ago=300)
        lease = take(submission, ago=200)
        note_game(lease.check, 1, RECORD)
        assert QualificationGame.objects.count() == 1
        if spoil == "void":
            void(lease, "the sandbox failed: no room", timezone.now())
        else:
            assert reap(timezone.now()) == 1
        note_game(lease.check, 2, RECORD)
        note_log(lease.check, "late")
        note_steps(lease.check, [passed(Stage.BUILD)])
        check = submission.checks.get()
        assert (check.games.count(), check.log, check.steps) == (0, "", [])


class TestThePage:
    @pytest.fixture
    def look(self, author, client: Client):
        client.force_login(author)

        def look(submission: Submission, name: str = "submission", *args: int) -> str:
            answer = client.get(reverse(name, args=[submission.pk, *args]))
            assert answer.status_code == 200
            assert answer["Cache-Control"] == "private, no-store"
            return answer.content.decode()

        return look

    def test_shows_the_place_in_the_queue_and_whether_a_worker_can_check(self, upload, look):
        upload("First", ago=90)
        waiting = upload(ago=80)
        assert "Waiting: no worker that can check it is running." in look(waiting)
        declared = Declaration("host:9", "host", "reduced", ["squ"], 2, 2, "1")
        workers.declare(declared, now=timezone.now())
        assert "no worker that can check it" in look(waiting)
        workers.declare(Declaration("host:10", "host", "standard", ["squ"], 2, 2, "1"), now=timezone.now())
        assert "Waiting for a worker: 1 upload is ahead in the queue." in look(waiting)
        Submission.objects.exclude(pk=waiting.pk).update(due_at=timezone.now())
        shown = look(waiting)
        assert "Waiting for a worker: next in the queue." in shown
        assert "since the upload" in shown
        assert shown.count("\npending\n") == 5

    def test_shows_each_step_with_its_state_and_time_and_the_log_so_far(self, upload, look):
        submission = upload(ago=200)
        lease = take(submission, ago=100)
        note_steps(lease.check, [passed(Stage.UNPACK, 3.0), passed(Stage.MANIFEST, 5.0), Step(Stage.BUILD, "build")])
        note_log(lease.check, "\x1b[31mcc <b>\u202e bot.c\r\n")
        shown = look(submission)
        assert "Checking: build." in shown
        assert shown.count("passed · ") == 2
        assert "in progress</span> 2\u202fmin" in shown  # the first steps took 8 of the 100 s
        assert shown.count("\npending\n") == 2
        assert "⟨U+001B⟩[31mcc &lt;b&gt;⟨U+202E⟩ bot.c⟨U+000D⟩\n" in shown

    def test_polls_its_live_part_until_there_is_a_verdict(self, upload, look, client):
        submission = upload()
        lease = take(submission)
        shown = look(submission, "submission-live")
        assert "<!doctype" not in shown
        assert f'data-live="/submissions/{submission.pk}/live/" data-every="2"' in shown
        note_game(lease.check, 1, RECORD)
        note_steps(lease.check, [passed(Stage.GAME)])
        accept(lease, rulesets=["squ"], artefact=None, log="all of it", now=timezone.now())
        answer = client.get(reverse("submission-live", args=[submission.pk]))
        assert b"data-live" not in answer.content
        assert b"all of it" in answer.content
        assert f'href="/submissions/{submission.pk}/games/1/"'.encode() in answer.content
        again = client.get(reverse("submission-live", args=[submission.pk]), headers={"If-None-Match": answer["ETag"]})
        assert again.status_code == 304

    def test_starts_over_after_a_void_check(self, upload, look):
        submission = upload()
        lease = take(submission)
        note_steps(lease.check, [passed(Stage.UNPACK), Step(Stage.MANIFEST, "manifest")])
        void(lease, "the sandbox failed: no room", timezone.now())
        shown = look(submission)
        assert "Recheck pending." in shown
        assert shown.count("\npending\n") == 5

    def test_links_to_the_replay_and_fault_of_each_game(self, upload, look, client, staff):
        submission = upload()
        lease = take(submission)
        for number, record in enumerate((RECORD, LOST), 1):
            note_game(lease.check, number, record)
        refuse(lease, Failure(Stage.GAME, "qualification game 2", "no"), log="", now=timezone.now())
        first = look(submission, "submission-game", 1)
        assert f"{len(RECORD.turns)} / {len(RECORD.turns)}" in first
        assert "Otter" in first
        second = look(submission, "submission-game", 2)
        assert "random won by forfeit: Otter broke the protocol at turn" in second
        assert "e4⟨U+001B⟩[2J⟨U+202E⟩evil" in second
        assert client.get(reverse("submission-game", args=[submission.pk, 3])).status_code == 404
        client.force_login(staff)
        look(submission, "submission-game", 1)

    def test_shows_a_game_recorded_under_older_rules_without_its_board(self, upload, look):
        submission = upload()
        note_game(take(submission).check, 1, replace(RECORD, rules=RECORD.rules + 1))
        shown = look(submission, "submission-game", 1)
        assert "Recorded under older rules" in shown
        assert f"<span> {RECORD.turns[0].turn} </span>" in " ".join(shown.split())

    @pytest.mark.parametrize("name", ["submission", "submission-live", "submission-game"])
    def test_is_not_found_for_other_users(self, upload, django_user_model, client, name):
        submission = upload()
        note_game(take(submission).check, 1, RECORD)
        address = reverse(name, args=[submission.pk] if name != "submission-game" else [submission.pk, 1])
        assert client.get(address).status_code == 404
        client.force_login(django_user_model.objects.create_user("rival"))
        assert client.get(address).status_code == 404

    def test_takes_as_many_queries_for_many_games_as_for_one(self, upload, look, django_assert_max_num_queries):
        submission = upload()
        lease = take(submission)
        note_steps(lease.check, [passed(Stage.GAME)] * 9)
        for number in range(1, 10):
            note_game(lease.check, number, RECORD)
        with django_assert_max_num_queries(8):
            look(submission, "submission-live")
