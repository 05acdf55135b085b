"""The pages and the API that show a check to the author of the upload."""

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
from tournaments.models import Submission
from tournaments.services.bots.check_notes import note_game, note_log, note_steps
from tournaments.services.bots.qualification import accept, claim, refuse, void
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.matches import workers
from tournaments.services.matches.workers import Declaration


@pytest.fixture
def upload(author):
    """Return a function that uploads an archive, `ago` seconds in the past, and returns its submission."""

    def upload(name: str = "Otter", ago: float = 0.0) -> Submission:
        return accept_upload(archive=make_archive(name), filename=f"{name}.zip", uploader=author,
                             now=timezone.now() - timedelta(seconds=ago))

    return upload


@pytest.fixture
def look(author, client: Client):
    """Return a function that returns the text of one of the submission's pages as the author sees it."""

    client.force_login(author)

    def look(submission: Submission, name: str = "submission", *args: int) -> str:
        answer = client.get(reverse(name, args=[submission.pk, *args]))
        assert answer.status_code == 200
        assert answer["Cache-Control"] == "private, no-store"
        return answer.content.decode()

    return look


def take(submission: Submission, ago: float = 0.0):
    return claim(submission_id=submission.pk, worker="host:1", tier="standard",
                 now=timezone.now() - timedelta(seconds=ago))


def passed(stage: Stage, seconds: float = 0.5) -> Step:
    return Step(stage, str(stage), passed=True, note=f"{stage} note", seconds=seconds)


class TestThePage:
    def test_shows_the_place_in_the_queue_and_whether_a_worker_can_check(self, upload, look):
        upload("First", ago=90)
        waiting = upload(ago=80)
        assert "Waiting: no worker that can check it is running." in look(waiting)
        for tier, said in (("reduced", "no worker that can check it"),
                           ("standard", "Waiting for a worker: 1 upload is ahead in the queue.")):
            workers.declare(Declaration(f"host:{tier}", "host", tier, ["squ"], 2, 2, "1"), now=timezone.now())
            assert said in look(waiting)
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

    def test_polls_its_live_part_until_there_is_a_verdict(self, upload, look, client, django_assert_max_num_queries):
        submission = upload()
        lease = take(submission)
        note_steps(lease.check, [passed(Stage.GAME)] * 9)
        for number in range(1, 10):
            note_game(lease.check, number, random_record("squ", 6, ("Otter", "random"), 3))
        with django_assert_max_num_queries(8):
            shown = look(submission, "submission-live")
        assert "<!doctype" not in shown
        assert f'data-live="/submissions/{submission.pk}/live/" data-every="2"' in shown
        accept(lease, rulesets=["squ"], artefact=None, log="all of it", now=timezone.now())
        answer = client.get(reverse("submission-live", args=[submission.pk]))
        assert b"data-live" not in answer.content
        assert b"all of it" in answer.content
        assert f'href="/submissions/{submission.pk}/games/1/"'.encode() in answer.content
        again = client.get(reverse("submission-live", args=[submission.pk]), headers={"If-None-Match": answer["ETag"]})
        assert again.status_code == 304

    def test_shows_a_fault_of_the_service(self, upload, look):
        submission = upload()
        void(take(submission), "the sandbox failed: no room", timezone.now())
        shown = look(submission)
        assert "interrupted by a service fault, not by your bot: the sandbox failed: no room" in shown
        assert 'http-equiv="refresh"' in shown
        assert "Recheck pending." in shown

    def test_of_a_game_shows_its_replay_and_fault_or_its_turns_under_older_rules(self, upload, look):
        submission, record = upload(), random_record("squ", 6, ("Otter", "random"), 3)
        lost = random_record("squ", 6, ("Otter", "random"), 3, fault_after=4)
        for number, played in enumerate((record, lost, replace(record, rules=record.rules + 1)), 1):
            note_game(take(submission).check if number == 1 else submission.checks.get(), number, played)
        first, second, third = (look(submission, "submission-game", number) for number in (1, 2, 3))
        assert f"{len(record.turns)} / {len(record.turns)}" in first
        assert "Otter" in first
        assert "random won by forfeit: Otter broke the protocol at turn" in second
        assert "e4⟨U+001B⟩[2J⟨U+202E⟩evil" in second
        assert "Recorded under older rules" in third
        assert f"<span> {record.turns[0].turn} </span>" in " ".join(third.split())

    def test_of_the_bot_lists_uploads_for_its_owner(self, enter, author, client):
        bot = enter("Otter").bot
        assert "Otter.zip" not in client.get(reverse("bot", args=[bot.slug])).content.decode()
        client.force_login(author)
        assert "Otter.zip" in client.get(reverse("bot", args=[bot.slug])).content.decode()


def test_pages_and_api_show_a_refusal_only_to_author_and_staff(upload, author, staff, client, django_user_model):
    submission, api = upload(), APIClient()
    lease = take(submission)
    note_game(lease.check, 1, random_record("squ", 6, ("Otter", "random"), 3))
    note_steps(lease.check, [Step(Stage.BUILD, "build", passed=True, seconds=1.5),
                             Step(Stage.GAME, "qualification game 1 of 2", passed=False, note="<i>bad</i>")])
    refuse(lease, Failure(Stage.GAME, "qualification game 2", "illegal: there is no cell z9", "z9"),
           log="secret \x1b[31m<script>", now=timezone.now())
    addresses = [reverse("submission", args=[submission.pk]), reverse("submission-live", args=[submission.pk]),
                 reverse("submission-game", args=[submission.pk, 1])]
    assert [client.get(address).status_code for address in addresses] == [404] * 3
    for user, status in ((author, 200), (staff, 200), (django_user_model.objects.create_user("rival"), 404)):
        client.force_login(user)
        api.force_authenticate(user)
        answer = api.get(f"/api/submissions/{submission.pk}/")
        assert [*(client.get(address).status_code for address in addresses), answer.status_code] == [status] * 4
        if status == 200:
            shown = client.get(addresses[0]).content.decode()
            for part in ("secret ⟨U+001B⟩[31m&lt;script&gt;", "&lt;i&gt;bad&lt;/i&gt;", "illegal: there is no cell z9"):
                assert part in shown
            facts = answer.json()
            assert (facts["log"], facts["line"], facts["status"]) == ("secret \x1b[31m<script>", "z9", "refused")
            assert [step["passed"] for step in facts["steps"]] == [True, False]
    assert client.get(reverse("submission-game", args=[submission.pk, 3])).status_code == 404
    api.force_authenticate(author)
    assert "log" not in api.get("/api/submissions/").json()["results"][0]
