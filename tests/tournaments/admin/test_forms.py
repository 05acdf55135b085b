"""Uploading bots and opening ladders in the admin."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.storage import default_storage
from django.test import Client

from tests.archives import NOT_AN_ARCHIVE, manifest, packed, upload
from tests.factories import ready_version
from tests.tournaments.admin.buttons import at
from tournaments.models import Bot, Ladder, Submission

LADDER = {"ruleset": "squ", "size": "6", "base_seconds": "2", "increment_seconds": "0.1", "name": ""}


def errors(page: Any) -> dict[str, list[str]]:
    """The form's errors by field, which the page must show; "__all__" is the form as a whole."""
    assert page.status_code == 200
    said = page.context["adminform"].form.errors
    assert said
    assert b"errorlist" in page.content
    return {field: list(sentences) for field, sentences in said.items()}


class TestUploading:
    @pytest.fixture(autouse=True)
    def _own_archives(self, settings: Any, tmp_path: Any) -> None:
        default = {**settings.STORAGES["default"], "OPTIONS": {"location": str(tmp_path)}}
        settings.STORAGES = {**settings.STORAGES, "default": default}

    def _upload(self, client: Client, content: bytes) -> Any:
        return client.post(at(Submission, "add"), {"archive": upload(content)}, follow=True)

    def test_accepts_an_archive_for_a_trusted_version(self, desk: Client) -> None:
        page = self._upload(desk, packed(manifest("Morphy")))
        assert "was added successfully" in page.content.decode()
        submission = Submission.objects.get()
        assert (submission.name, submission.status) == ("Morphy", "received")
        assert LogEntry.objects.get().object_id == str(submission.pk)
        version = ready_version(submission)
        assert (version.bot.name, version.bot.owner.username, version.trusted) == ("Morphy", "organiser", True)

    def test_is_refused_with_form_errors(self, desk: Client) -> None:
        said = errors(self._upload(desk, NOT_AN_ARCHIVE))
        assert [(kept.status, kept.refusal) for kept in Submission.objects.all()] == [("refused", said["__all__"][0])]
        assert not Bot.objects.exists()
        assert not LogEntry.objects.exists()
        assert not default_storage.exists("bots") or default_storage.listdir("bots") == ([], [])

    def test_refuses_an_archive_that_is_too_large(self, desk: Client, settings: Any) -> None:
        settings.MAX_ARCHIVE_BYTES = 1000
        assert errors(self._upload(desk, b"x" * 1001)) == {
            "archive": ["The archive has 1,001 bytes; the limit is 1,000. Upload a smaller archive."]}
        assert not Submission.objects.exists()

    def test_is_not_for_read_only_staff(self, looker: Client) -> None:
        assert self._upload(looker, packed(manifest())).status_code == 403
        assert not Submission.objects.exists()


class TestOpeningALadder:
    def test_creates_the_ladder_or_finds_an_existing_one(self, desk: Client) -> None:
        for _ in range(2):
            desk.post(at(Ladder, "add"), LADDER, follow=True)
        assert Ladder.objects.get().slug == "squ-6x6-2s-0-1s"

    def test_is_refused_with_form_errors(self, desk: Client) -> None:
        for change, field in (({"size": "7"}, "__all__"), ({"size": "six"}, "size"), ({"ruleset": "chess"}, "ruleset")):
            assert list(errors(desk.post(at(Ladder, "add"), {**LADDER, **change}, follow=True))) == [field]
        assert not Ladder.objects.exists()
