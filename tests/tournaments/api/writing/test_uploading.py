"""Uploading a bot through the API."""

import io
from typing import Any

import pytest
from django.core.files.storage import default_storage
from rest_framework.test import APIClient

from engines.rules.registry import RULESETS
from tests.archives import NOT_AN_ARCHIVE, UNKNOWN_RULESET, manifest, packed, upload
from tests.factories import START, make_user, ready_version
from tests.tournaments.api import contract
from tournaments.models import Ban, Bot, Submission, Version

SUBMISSIONS = "/api/submissions/"


@pytest.fixture(autouse=True)
def _own_archives(settings: Any, tmp_path: Any) -> None:
    default = {**settings.STORAGES["default"], "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "default": default}


def _stored() -> list[str]:
    return default_storage.listdir("bots")[1] if default_storage.exists("bots") else []


class TestAnUpload:
    def test_waits_for_its_check_and_becomes_a_version(self, author: APIClient) -> None:
        answer = author.post(SUBMISSIONS, {"archive": upload(packed(manifest("Morphy", rulesets='["squ"]')), "m.zip")})
        assert answer.status_code == 202
        contract.check(answer, SUBMISSIONS, "post")
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
        contract.check(mine, SUBMISSIONS)
        assert [line["status"] for line in mine.json()["results"]] == ["refused", "received"]
        contract.check(author.get(f"{SUBMISSIONS}{pk}/"), f"{SUBMISSIONS}{{id}}/")
        assert organiser.get(f"{SUBMISSIONS}{pk}/").status_code == 200
        for query, count in (({}, 2), ({"owner": "mia"}, 2), ({"owner": "otto"}, 0), ({"bot": "morphy"}, 1),
                             ({"bot": "x"}, 0), ({"status": "received"}, 1), ({"status": "refused"}, 1)):
            assert [one["owner"] for one in organiser.get(SUBMISSIONS, query).json()["results"]] == ["mia"] * count
        assert anyone.get(SUBMISSIONS).status_code == 401
        assert anyone.get(f"{SUBMISSIONS}{pk}/").status_code == 401

    def test_keeps_untrusted_text_as_plain_text(self, author: APIClient) -> None:
        name = "<script>alert('ש')</script>"
        author.post(SUBMISSIONS, {"archive": upload(packed(manifest(name)), "<b>.zip")})
        ready_version(Submission.objects.get())
        answer = author.get("/api/bots/")
        assert answer.json()["results"][0]["name"] == name
        assert answer["Content-Type"] == "application/json"

    def test_is_listed_with_as_many_queries_for_many_as_for_few(
        self, author: APIClient, django_assert_num_queries: Any, settings: Any
    ) -> None:
        settings.UPLOADS_PER_DAY = 60
        for rows in (3, 27):
            for number in range(rows):
                author.post(SUBMISSIONS, {"archive": upload(packed(manifest(), f"print({rows}, {number})"))})
                author.post(SUBMISSIONS, {"archive": upload(NOT_AN_ARCHIVE)})
            with django_assert_num_queries(2):
                author.get(SUBMISSIONS, {"limit": 200})


class TestARefusedUpload:
    @pytest.mark.parametrize(("content", "sentence"), [
        (NOT_AN_ARCHIVE, "is not a .zip, .tar or .tar.gz archive: pack the bot's directory as one of these"),
        (packed(UNKNOWN_RULESET), f"choose from {', '.join(RULESETS)}"),
    ], ids=["not an archive", "unknown ruleset"])
    def test_says_what_is_wrong_and_leaves_only_a_record(
        self, author: APIClient, content: bytes, sentence: str
    ) -> None:
        answer = author.post(SUBMISSIONS, {"archive": upload(content)})
        assert answer.status_code == 409
        contract.check(answer, SUBMISSIONS, "post")
        assert sentence in answer.json()["detail"]
        assert [(kept.status, kept.refusal) for kept in Submission.objects.all()] == [
            ("refused", answer.json()["detail"])]
        assert not Bot.objects.exists()
        assert _stored() == []

    def test_may_not_use_another_authors_name(self, author: APIClient, organiser: APIClient) -> None:
        author.post(SUBMISSIONS, {"archive": upload(packed(manifest()))})
        ready_version(Submission.objects.get())
        answer = organiser.post(SUBMISSIONS, {"archive": upload(packed(manifest(), "print('mine now')"))})
        assert answer.status_code == 409
        assert "belongs to another author" in answer.json()["detail"]
        assert Version.objects.count() == len(_stored()) == 1

    def test_is_not_read_when_it_is_too_large(self, author: APIClient, settings: Any) -> None:
        settings.MAX_ARCHIVE_BYTES = 1000
        answer = author.post(SUBMISSIONS, {"archive": upload(b"x" * 1001)})
        assert contract.problem(answer) == (
            400, "archive: The archive has 1,001 bytes; the limit is 1,000. Upload a smaller archive.")
        assert not Submission.objects.exists()

    def test_says_when_the_quota_is_used_up(self, author: APIClient, settings: Any) -> None:
        settings.UPLOADS_PER_DAY = 1
        author.post(SUBMISSIONS, {"archive": upload(NOT_AN_ARCHIVE)})
        answer = author.post(SUBMISSIONS, {"archive": upload(packed(manifest()))})
        status, sentence = contract.problem(answer)
        assert (status, sentence.partition(":")[0]) == (409, "Your quota of uploads in 24 hours (1) is used up")
        contract.check(answer, SUBMISSIONS, "post")

    def test_is_closed_to_a_banned_user(self, author: APIClient) -> None:
        Ban.objects.create(user=make_user("mia"), reason="spam.", created_by=make_user("organiser", staff=True),
                           created_at=START)
        answer = author.post(SUBMISSIONS, {"archive": upload(packed(manifest()))})
        assert contract.problem(answer) == (403, "You are banned: spam.")

    @pytest.mark.parametrize(("data", "field"), [
        ({}, "archive"), ({"archive": "a text"}, "archive"), ({"archive": upload(b"")}, "archive"),
        ({"file": upload(b"PK")}, "archive"),
    ], ids=["nothing", "no file", "an empty file", "another field"])
    def test_names_the_field_that_is_missing(self, author: APIClient, data: dict[str, Any], field: str) -> None:
        answer = author.post(SUBMISSIONS, data)
        assert contract.malformed(answer) == [field]

    def test_must_be_sent_as_a_form(self, author: APIClient) -> None:
        answer = author.post(SUBMISSIONS, {"archive": "UEs="}, format="json")
        status, sentence = contract.problem(answer)
        assert status == 415
        assert "application/json" in sentence

    def test_needs_an_account(self, anyone: APIClient) -> None:
        answer = anyone.post(SUBMISSIONS, {"archive": io.BytesIO(packed(manifest()))})
        assert contract.problem(answer) == (401, "Authentication credentials were not provided.")
        assert answer["WWW-Authenticate"] == "Token"
        assert not Submission.objects.exists()

    def test_is_refused_with_an_invalid_token(self, anyone: APIClient) -> None:
        anyone.credentials(HTTP_AUTHORIZATION="Token made-up")
        answer = anyone.post(SUBMISSIONS, {"archive": upload(packed(manifest()))})
        assert contract.problem(answer) == (401, "Unknown token: create one on your account page.")


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
