"""Uploading a bot through the API."""

import io
from typing import Any

from django.core.files.storage import default_storage
from rest_framework.test import APIClient

from engines.rules.registry import RULESETS
from tests.archives import NOT_AN_ARCHIVE, UNKNOWN_RULESET, manifest, packed, upload
from tests.factories import START, make_user, ready_version
from tests.tournaments.api import contract
from tournaments.models import Ban, Bot, Submission, Version

SUBMISSIONS = "/api/submissions/"


def _stored() -> list[str]:
    return default_storage.listdir("bots")[1] if default_storage.exists("bots") else []


class TestAnUpload:
    def test_waits_for_its_check_and_becomes_a_version(self, author: APIClient) -> None:
        answer = author.post(SUBMISSIONS, {"archive": upload(packed(manifest("Morphy", rulesets='["squ"]')), "m.zip")})
        assert answer.status_code == 202
        shown = answer.json()
        assert (shown["filename"], shown["status"], shown["refusal"]) == ("m.zip", "received", "")
        assert shown["version"] is None
        version = ready_version(Submission.objects.get())
        shown = author.get(answer["Location"]).json()
        assert (shown["status"], shown["version"]["id"]) == ("accepted", version.pk)
        assert (version.bot.name, version.number, version.rulesets, version.trusted) == ("Morphy", 1, ["squ"], False)

    def test_becomes_the_bots_next_version_the_second_time(self, author: APIClient) -> None:
        for number, main in enumerate(("print(1)", "print(2)"), start=1):
            answer = author.post(SUBMISSIONS, {"archive": upload(packed(manifest(), main))})
            assert ready_version(Submission.objects.get(pk=answer.json()["id"])).number == number

    def test_is_visible_only_to_its_uploader_and_staff(
        self, author: APIClient, organiser: APIClient, anyone: APIClient
    ) -> None:
        pk = author.post(SUBMISSIONS, {"archive": upload(packed(manifest()))}).json()["id"]
        author.post(SUBMISSIONS, {"archive": upload(NOT_AN_ARCHIVE)})
        mine = author.get(SUBMISSIONS)
        assert [line["status"] for line in mine.json()["results"]] == ["refused", "received"]
        assert organiser.get(f"{SUBMISSIONS}{pk}/").status_code == 200
        for query, count in (({}, 2), ({"owner": "mia"}, 2), ({"owner": "otto"}, 0), ({"bot": "morphy"}, 1),
                             ({"bot": "x"}, 0), ({"status": "received"}, 1), ({"status": "refused"}, 1)):
            assert [one["owner"] for one in organiser.get(SUBMISSIONS, query).json()["results"]] == ["mia"] * count
        assert anyone.get(SUBMISSIONS).status_code == 401
        assert anyone.get(f"{SUBMISSIONS}{pk}/").status_code == 401

    def test_is_listed_with_as_many_queries_for_many_as_for_few(
        self, author: APIClient, django_assert_num_queries: Any, settings: Any
    ) -> None:
        settings.UPLOADS_PER_DAY = 60
        for rows in (1, 4):
            for number in range(rows):
                author.post(SUBMISSIONS, {"archive": upload(packed(manifest(), f"print({rows}, {number})"))})
                author.post(SUBMISSIONS, {"archive": upload(NOT_AN_ARCHIVE)})
            with django_assert_num_queries(2):
                author.get(SUBMISSIONS)


class TestARefusedUpload:
    def test_says_what_is_wrong_and_leaves_only_a_record(self, author: APIClient) -> None:
        refusals = []
        for content, sentence in ((NOT_AN_ARCHIVE, "is not a .zip, .tar or .tar.gz archive: pack the bot's directory"),
                                  (packed(UNKNOWN_RULESET), f"choose from {', '.join(RULESETS)}")):
            answer = author.post(SUBMISSIONS, {"archive": upload(content)})
            status, said = contract.problem(answer)
            assert (status, sentence in said) == (409, True), said
            refusals.append(("refused", said))
        assert [(kept.status, kept.refusal) for kept in Submission.objects.order_by("pk")] == refusals
        assert (Bot.objects.exists(), _stored()) == (False, [])

    def test_may_not_use_another_authors_name(self, author: APIClient, organiser: APIClient) -> None:
        author.post(SUBMISSIONS, {"archive": upload(packed(manifest()))})
        ready_version(Submission.objects.get())
        answer = organiser.post(SUBMISSIONS, {"archive": upload(packed(manifest(), "print('mine now')"))})
        assert contract.problem(answer)[0] == 409
        assert Version.objects.count() == len(_stored()) == 1

    def test_is_not_read_when_it_is_too_large(self, author: APIClient, settings: Any) -> None:
        settings.MAX_ARCHIVE_BYTES = 1000
        answer = author.post(SUBMISSIONS, {"archive": upload(b"x" * 1001)})
        assert contract.problem(answer) == (
            400, "archive: The archive has 1,001 bytes; the limit is 1,000. Upload a smaller archive.")
        assert not Submission.objects.exists()

    def test_is_closed_to_a_banned_user(self, author: APIClient) -> None:
        Ban.objects.create(user=make_user("mia"), reason="spam.", created_by=make_user("organiser", staff=True),
                           created_at=START)
        answer = author.post(SUBMISSIONS, {"archive": upload(packed(manifest()))})
        assert contract.problem(answer) == (403, "You are banned: spam.")

    def test_must_be_a_form_with_a_file(self, author: APIClient) -> None:
        for data in ({}, {"archive": "a text"}, {"archive": upload(b"")}, {"file": upload(b"PK")}):
            assert contract.malformed(author.post(SUBMISSIONS, data)) == ["archive"]
        status, sentence = contract.problem(author.post(SUBMISSIONS, {"archive": "UEs="}, format="json"))
        assert (status, "application/json" in sentence) == (415, True)

    def test_needs_an_account(self, anyone: APIClient) -> None:
        answer = anyone.post(SUBMISSIONS, {"archive": io.BytesIO(packed(manifest()))})
        assert contract.problem(answer) == (401, "Authentication credentials were not provided.")
        assert answer["WWW-Authenticate"] == "Token"
        assert not Submission.objects.exists()


class TestASession:
    def test_uploads_with_its_csrf_token_only(self, db: None) -> None:
        client = APIClient(enforce_csrf_checks=True)
        client.login(username=make_user("mia").username, password="mia")
        answer = client.post(SUBMISSIONS, {"archive": upload(packed(manifest()))})
        assert answer.status_code == 403
        assert answer.json()["detail"].startswith("CSRF Failed")
        token = client.get("/account/").cookies["csrftoken"].value
        answer = client.post(SUBMISSIONS, {"archive": upload(packed(manifest()))}, headers={"X-CSRFToken": token})
        assert answer.status_code == 202
