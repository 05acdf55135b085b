"""Uploads: accepted ones, and refused ones, which leave only a record."""

import hashlib

import pytest
from django.contrib.auth.models import User

from tests.factories import ready_version
from tests.tournaments.conftest import make_archive
from tournaments.models import Bot, Submission, Version
from tournaments.services.bots import submissions
from tournaments.services.bots.archives import remove_orphans, store
from tournaments.services.bots.submissions import SubmissionRefused, accept_upload


@pytest.fixture
def refuse(author, archives, now):
    """Return a function that uploads an invalid archive, checks for leftovers and returns the message."""

    def refuse(archive: bytes, uploader: User = author) -> str:
        before = waiting(), Version.objects.count(), stored(archives)
        with pytest.raises(SubmissionRefused) as refusal:
            accept_upload(archive=archive, filename="bot.zip", uploader=uploader, now=now)
        assert (waiting(), Version.objects.count(), stored(archives)) == before
        submission = Submission.objects.first()
        assert (submission.status, submission.refusal) == ("refused", str(refusal.value))
        assert submission.step in {"unpack", "manifest", "name", "duplicate"}
        return str(refusal.value)

    return refuse


def waiting() -> int:
    return Submission.objects.filter(status="received").count()


def stored(archives) -> set[str]:
    return {path.name for path in archives.rglob("*") if path.is_file()}


class TestAcceptUpload:
    def test_accepts_the_bots_first_version(self, author, now, archives):
        assert remove_orphans(now) == 0
        archive = make_archive("Otter", rulesets='["squ"]')
        submission = accept_upload(archive=archive, filename="C:\\bots\\otter.zip", uploader=author, now=now)
        assert (submission.status, submission.name, submission.slug) == ("received", "Otter", "otter")
        assert not Bot.objects.exists()
        version = ready_version(submission)
        assert (version.bot.name, version.bot.slug, version.bot.owner, version.number) == ("Otter", "otter", author, 1)
        assert version.rulesets == ["squ"]
        assert version.submission.filename == "otter.zip"
        assert stored(archives) == {hashlib.sha256(archive).hexdigest()}
        with version.archive.open("rb") as file:
            assert file.read() == archive

    def test_numbers_the_versions_of_a_bot_and_trusts_those_by_staff(self, enter, staff):
        assert [enter("Otter", code=f"# {n}").number for n in range(3)] == [1, 2, 3]
        assert (enter("Vole").trusted, enter("Beaver", staff).trusted) == (False, True)

    def test_leaves_no_file_behind_when_refused_after_storing(self, author, staff, archives, now, monkeypatch):
        def store_slowly(directory: str, archive: bytes) -> str:
            # In the meantime another author uploads a bot of that name.
            path = store(directory, archive)
            Submission.objects.create(uploader=staff, received_at=now, size=1, sha256="0" * 64, name="Otter",
                                      slug="otter", archive="bots/another", due_at=now)
            return path

        monkeypatch.setattr(submissions, "store", store_slowly)
        with pytest.raises(SubmissionRefused, match="the name Otter is being checked"):
            accept_upload(archive=make_archive("Otter"), filename="o.zip", uploader=author, now=now)
        assert stored(archives) == set()

    def test_repairs_a_partial_copy_left_by_a_crash(self, enter, archives):
        archive = make_archive("Otter")
        (archives / "bots").mkdir(parents=True)
        (archives / "bots" / hashlib.sha256(archive).hexdigest()).write_bytes(archive[:50])
        with enter("Otter").archive.open("rb") as file:
            assert file.read() == archive


class TestRefusedUpload:
    def test_says_what_is_wrong_with_the_archive(self, refuse, settings):
        for archive in (b"", b"not an archive", make_archive("Otter")[:100]):
            assert "archive" in refuse(archive)
        sentence = refuse(make_archive("Otter", rulesets='["chess"]'))
        assert "chess" in sentence
        assert "square-grid-hex" in sentence
        assert Submission.objects.first().line == 'bot.toml:3: rulesets = ["chess"]'
        assert "command" in refuse(make_archive("Otter", command="1"))
        settings.MAX_ARCHIVE_BYTES = 100
        assert "at most 100 are allowed" in refuse(make_archive("Otter"))

    @pytest.mark.database
    def test_reserves_a_name_for_its_author(self, refuse, enter, staff):
        enter("My Otter")
        assert refuse(make_archive("My Otter", code="# other"), staff) == (
            "The name My Otter belongs to another author: choose another name in bot.toml.")
        assert "belongs to another author" in refuse(make_archive("my otter"), staff)
        assert "too similar to that of your bot My Otter" in refuse(make_archive("my otter"))

    def test_names_the_version_with_the_same_archive(self, refuse, enter):
        enter("Otter")
        assert refuse(make_archive("Otter")) == "The archive is identical to that of Otter v1: upload a changed one."

    def test_names_the_submission_that_is_being_checked_and_reserves_its_name(self, refuse, author, staff, now):
        first = accept_upload(archive=make_archive("Otter"), filename="otter.zip", uploader=author, now=now)
        assert refuse(make_archive("Otter")) == (
            f"The archive is already being checked, as submission {first.pk}: wait for the result.")
        assert refuse(make_archive("Otter", code="# other"), staff) == (
            "Another author's bot with the name Otter is being checked: choose another name in bot.toml.")
