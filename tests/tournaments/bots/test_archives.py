"""Files in storage: concurrent writes of the same file, and leftovers of killed processes."""

import os
import threading
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from tests.factories import make_user
from tests.tournaments.conftest import NOW, make_archive
from tests.tournaments.operations.test_coordinator import in_thread
from tests.waiting import wait_for
from tournaments.models import Submission, Version
from tournaments.services.bots.archives import content_hash, path_of, remove_orphans, store
from tournaments.services.bots.qualification import accept, claim
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.shared import audit

BUILT = b"what a build left" * 10_000


@pytest.fixture
def slow(monkeypatch) -> SimpleNamespace:
    """Let the storage stop in the middle of the next file, once `armed`, until `go_on` is set."""
    state = SimpleNamespace(armed=False, half_way=threading.Event(), go_on=threading.Event())
    save = FileSystemStorage._save

    def save_slowly(self, name, content):
        if not state.armed:
            return save(self, name, content)
        state.armed = False
        path, data = Path(self.path(name)), content.read()
        path.parent.mkdir(parents=True, exist_ok=True)
        # Like the base class, write under the final name from the first byte on.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640), "wb", buffering=0) as file:
            file.write(data[:len(data) // 2])
            state.half_way.set()
            assert state.go_on.wait(60)
            file.write(data[len(data) // 2:])
        return name

    monkeypatch.setattr(FileSystemStorage, "_save", save_slowly)
    return state


def lease_of(name: str):
    """A check in progress of a submission by its own author."""
    submission = accept_upload(archive=make_archive(name, build='"make"'), filename=f"{name}.zip",
                               uploader=make_user(name), now=NOW)
    return claim(submission_id=submission.pk, worker="host:1", tier="standard", now=NOW)


def judged(lease, artefact: bytes | None = BUILT) -> Version | None:
    return accept(lease, rulesets=["squ"], artefact=artefact, log="", now=NOW)


class TestStoringABuild:
    @pytest.mark.database
    @pytest.mark.django_db(transaction=True)
    def test_waits_for_another_check_that_stores_the_same_build(self, slow, archives):
        leases = [lease_of("otter"), lease_of("beaver")]
        slow.armed = True
        first, second = (threading.Thread(target=in_thread(lambda lease=lease: judged(lease))) for lease in leases)
        stored = archives / path_of("builds", BUILT)
        first.start()
        assert slow.half_way.wait(60)
        begun = stored.stat().st_ino
        second.start()
        # Enough time to mistake the half-written file for a broken one and delete it.
        second.join(1)
        assert stored.stat().st_ino == begun
        slow.go_on.set()
        first.join()
        second.join()
        assert stored.read_bytes() == BUILT
        assert [path.name for path in stored.parent.iterdir()] == [stored.name]
        assert {version.artefact.name for version in Version.objects.all()} == {path_of("builds", BUILT)}
        assert Version.objects.count() == 2


@pytest.mark.django_db
def test_a_failed_upload_leaves_nothing_behind_but_an_identical_archive_of_another_author(author, archives,
                                                                                         monkeypatch):
    packed = make_archive("Otter")
    stored = archives / path_of("bots", packed)
    for other_first in (False, True):
        with monkeypatch.context() as patched:
            if other_first:
                accept_upload(archive=packed, filename="o.zip", uploader=make_user("twin"), now=NOW)
                # It has been refused since, so the name is free again.
                Submission.objects.update(status="refused", refusal="It was.", judged_at=NOW)
            patched.setattr(audit, "record", _fail)
            with pytest.raises(RuntimeError):
                accept_upload(archive=packed, filename="o.zip", uploader=author, now=NOW)
        assert Submission.objects.count() == stored.exists() == other_first


def _fail(**_: object) -> None:
    raise RuntimeError("power failure")


class TestAHangingStore:
    @pytest.mark.needs_servers
    @pytest.mark.serial
    @pytest.mark.django_db(transaction=True)
    def test_delays_only_uploads_of_the_same_archive(self, s3_storage):
        held, other = make_archive("Otter"), make_archive("Beaver")
        s3_storage.stuck = {content_hash(held)}
        waiting = threading.Thread(target=in_thread(lambda: accept_upload(
            archive=held, filename="o.zip", uploader=make_user("ann"), now=NOW)))
        waiting.start()
        wait_for(lambda: s3_storage.waited, "the store has the request")
        accept_upload(archive=other, filename="b.zip", uploader=make_user("ben"), now=NOW)
        assert list(Submission.objects.values_list("name", flat=True)) == ["Beaver"]
        assert waiting.is_alive()
        s3_storage.go_on.set()
        waiting.join()
        assert set(Submission.objects.values_list("name", flat=True)) == {"Beaver", "Otter"}

    @pytest.mark.django_db
    def test_times_out_after_two_tries_and_asks_to_retry_later(self, s3_server, author, monkeypatch,
                                                                            request, client):
        monkeypatch.setattr("tournaments.platform.storage.READ_SECONDS", 3.0)
        request.getfixturevalue("s3_storage")
        packed = make_archive("Otter")
        s3_server.stuck = {content_hash(packed)}
        client.force_login(author)
        answer = client.post("/api/submissions/", {"archive": SimpleUploadedFile("o.zip", packed)})
        assert (answer.status_code, "Retry-After" in answer) == (503, True)
        assert len(s3_server.waited) == 2
        assert not Submission.objects.exists()


@pytest.mark.django_db
class TestOrphans:
    @pytest.fixture
    def orphan(self, archives):
        """A build that a killed worker stored an hour ago but did not record."""
        path = archives / store("builds", b"left")
        an_hour_ago = timezone.now().timestamp() - 3600
        os.utime(path, (an_hour_ago, an_hour_ago))
        return path

    def test_are_deleted_but_archives_and_builds_of_versions_stay(self, orphan, archives):
        archive = archives / store("bots", make_archive("Lost"))
        version, lease = judged(lease_of("otter")), lease_of("beaver")
        kept = archives / version.artefact.name
        os.utime(kept, (orphan.stat().st_mtime,) * 2)
        assert remove_orphans(timezone.now()) == 2
        assert not orphan.exists()
        assert not archive.exists()
        assert kept.read_bytes() == BUILT
        assert (archives / version.archive.name).exists()
        # The build of a check that does not count.
        Submission.objects.filter(pk=lease.work.pk).update(attempt=2)
        assert judged(lease, b"of no use") is None
        assert (archives / path_of("builds", b"of no use")).exists()
        assert remove_orphans(timezone.now() + timedelta(hours=1)) == 1
        assert not (archives / path_of("builds", b"of no use")).exists()

    def test_that_are_being_stored_or_are_older_than_a_day_stay(self, orphan, archives):
        archive = archives / store("bots", make_archive("Lost"))
        assert remove_orphans(timezone.now() + timedelta(days=2)) == 0
        archive.unlink()
        os.utime(orphan)
        assert remove_orphans(timezone.now()) == 0
        assert orphan.exists()
