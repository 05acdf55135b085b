"""Uploading a bot through the API."""

import io
from typing import Any

import pytest
from django.core.files.storage import default_storage
from rest_framework.test import APIClient

from engines.rules.registry import RULESETS
from tests.archives import NOT_AN_ARCHIVE, UNKNOWN_RULESET, manifest, packed, upload
from tests.factories import START, make_user, ready_version
from tests.tournaments.api.contract import malformed, problem, read
from tournaments.models import Ban, Bot, Submission

SUBMISSIONS = "/api/submissions/"


def send(client: APIClient, content: bytes, filename: str = "bot.zip") -> Any:
    return client.post(SUBMISSIONS, {"archive": upload(content, filename)})


def stored() -> list[str]:
    return default_storage.listdir("bots")[1] if default_storage.exists("bots") else []


@pytest.fixture
def morphy() -> bytes:
    """A valid archive."""
    return packed(manifest("Morphy", rulesets='["squ"]'))


class TestAnUpload:
    def test_waits_for_its_check_and_becomes_a_version(self, author: APIClient, morphy: bytes) -> None:
        answer = send(author, morphy, "m.zip")
        assert answer.status_code == 202
        shown = answer.json()
        assert (shown["filename"], shown["status"], shown["refusal"]) == ("m.zip", "received", "")
        assert shown["version"] is None
        version = ready_version(Submission.objects.get())
        shown = author.get(answer["Location"]).json()
        assert (shown["status"], shown["version"]["id"]) == ("accepted", version.pk)
        assert (version.bot.name, version.number, version.rulesets, version.trusted) == ("Morphy", 1, ["squ"], False)
        again = send(author, packed(manifest(), "print(2)"))
        assert ready_version(Submission.objects.get(pk=again.json()["id"])).number == 2

    def test_is_visible_only_to_its_uploader_and_staff(
        self, author: APIClient, organiser: APIClient, anyone: APIClient, morphy: bytes
    ) -> None:
        pk = send(author, morphy).json()["id"]
        send(author, NOT_AN_ARCHIVE)
        assert [line["status"] for line in read(author, "submissions/")["results"]] == ["refused", "received"]
        assert read(organiser, f"submissions/{pk}/")["id"] == pk
        for query, count in (({}, 2), ({"owner": "mia"}, 2), ({"owner": "otto"}, 0), ({"bot": "morphy"}, 1),
                             ({"bot": "x"}, 0), ({"status": "received"}, 1), ({"status": "refused"}, 1)):
            rows = read(organiser, "submissions/", **query)["results"]
            assert [one["owner"] for one in rows] == ["mia"] * count
        assert [anyone.get(path).status_code for path in (SUBMISSIONS, f"{SUBMISSIONS}{pk}/")] == [401, 401]

    def test_is_listed_with_as_many_queries_for_many_as_for_few(
        self, author: APIClient, django_assert_num_queries: Any
    ) -> None:
        for rows in (1, 4):
            for number in range(rows):
                send(author, packed(manifest(), f"print({rows}, {number})"))
            with django_assert_num_queries(2):
                read(author, "submissions/")


class TestARefusedUpload:
    def test_says_what_is_wrong_and_leaves_only_a_record(self, author: APIClient) -> None:
        refusals = []
        for content, sentence in ((NOT_AN_ARCHIVE, "is not a .zip, .tar or .tar.gz archive: pack the bot's directory"),
                                  (packed(UNKNOWN_RULESET), f"choose from {', '.join(RULESETS)}")):
            status, said = problem(send(author, content))
            assert (status, sentence in said) == (409, True), said
            refusals.append(("refused", said))
        assert [(kept.status, kept.refusal) for kept in Submission.objects.order_by("pk")] == refusals
        assert (Bot.objects.exists(), stored()) == (False, [])

    def test_under_another_authors_name_is_not_stored(
        self, author: APIClient, organiser: APIClient, morphy: bytes
    ) -> None:
        send(author, morphy)
        ready_version(Submission.objects.get())
        assert problem(send(organiser, packed(manifest(), "print('mine now')")))[0] == 409
        assert len(stored()) == 1

    def test_is_not_read_when_it_is_too_large(self, author: APIClient, settings: Any) -> None:
        settings.MAX_ARCHIVE_BYTES = 1000
        assert problem(send(author, b"x" * 1001)) == (
            400, "archive: The archive has 1,001 bytes; the limit is 1,000. Upload a smaller archive.")
        assert not Submission.objects.exists()

    def test_is_closed_to_a_banned_user(self, author: APIClient, morphy: bytes) -> None:
        Ban.objects.create(user=make_user("mia"), reason="spam.", created_by=make_user("organiser", staff=True),
                           created_at=START)
        assert problem(send(author, morphy)) == (403, "You are banned: spam.")

    def test_must_be_a_form_with_a_file(self, author: APIClient) -> None:
        for data in ({}, {"archive": "a text"}, {"archive": upload(b"")}, {"file": upload(b"PK")}):
            assert malformed(author.post(SUBMISSIONS, data)) == ["archive"]
        status, sentence = problem(author.post(SUBMISSIONS, {"archive": "UEs="}, format="json"))
        assert (status, "application/json" in sentence) == (415, True)

    def test_needs_an_account(self, anyone: APIClient, morphy: bytes) -> None:
        answer = anyone.post(SUBMISSIONS, {"archive": io.BytesIO(morphy)})
        assert problem(answer) == (401, "Authentication credentials were not provided.")
        assert answer["WWW-Authenticate"] == "Token"
        assert not Submission.objects.exists()


class TestASession:
    def test_uploads_with_its_csrf_token_only(self, db: None, morphy: bytes) -> None:
        client = APIClient(enforce_csrf_checks=True)
        client.force_login(make_user("mia"))
        answer = send(client, morphy)
        assert answer.status_code == 403
        assert answer.json()["detail"].startswith("CSRF Failed")
        token = client.get("/account/").cookies["csrftoken"].value
        assert client.post(SUBMISSIONS, {"archive": upload(morphy)}, headers={"X-CSRFToken": token}).status_code == 202
