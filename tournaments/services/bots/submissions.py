"""Intake of uploads: accepted archives wait for their check; refusals give the reason at once."""

import logging
from datetime import datetime
from pathlib import PurePosixPath

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import translation

from engines.manifest import Manifest, ManifestRefused
from engines.sandbox.archives.unpack import ArchiveRefused
from engines.sandbox.staging.submission import read_submission
from tournaments.models import Bot, Submission, Version
from tournaments.models.lifecycle import SUBMISSION_OPEN, SubmissionStatus
from tournaments.platform.refusals import Refused
from tournaments.platform.storage import is_unreachable
from tournaments.platform.text import sentence
from tournaments.selectors.shared.permissions import Forbidden, refuse_banned
from tournaments.selectors.shared.quotas import archive_bytes_of, refuse_over_quota
from tournaments.services.bots.archives import content_hash, path_of, remove_unnamed_upload, store
from tournaments.services.bots.names import NameRefused, address_of, bot_named, refuse_name
from tournaments.services.shared import audit
from tournaments.services.shared.locks import Lock, hold
from tournaments.services.shared.wakeups import Step, wake

log = logging.getLogger(__name__)


class SubmissionRefused(Refused):
    """The archive cannot become a version: it is invalid or too large, or its manifest or name is not acceptable.

    `step` is the step of the check that it failed, `line` the line to fix or "", `submission` the recorded submission.
    """

    submission: Submission | None = None

    def __init__(self, message: str, *, step: str, line: str = "") -> None:
        super().__init__(message)
        self.step = step
        self.line = line


def accept_upload(*, archive: bytes, filename: str, uploader: AbstractBaseUser, now: datetime) -> Submission:
    """Accept an archive, to be built and qualified on a worker.

    Archive, manifest and name are checked here. Raises SubmissionRefused; the refused submission is recorded, and
    nothing else is left behind. Raises Forbidden if the uploader is banned, and OverQuota; these are not recorded.
    """
    refuse_banned(user=uploader)
    refuse_over_quota(uploader, now)
    # Recorded whether the upload is accepted or refused.
    facts = {
        "uploader": uploader, "received_at": now, "size": len(archive), "sha256": content_hash(archive),
        "filename": PurePosixPath(filename.replace("\\", "/")).name[:200] or "(no name)",
    }
    try:
        return _receive(archive, _read(archive, uploader), facts)
    except SubmissionRefused as refusal:
        refusal.submission = Submission.objects.create(
            **facts, status=SubmissionStatus.REFUSED, judged_at=now, refusal=str(refusal), step=refusal.step,
            line=refusal.line)
        raise


def bot_for(name: str, uploader: AbstractBaseUser) -> Bot | None:
    """Return this author's bot of that name, or None if it would be new.

    Raises SubmissionRefused if the author may not use the name, or if the author or the bot is banned. Call it under
    Lock.UPLOADS.
    """
    bot = bot_named(name)
    _refuse_ban(uploader, bot)
    try:
        refuse_name(name, uploader, bot)
    except NameRefused as refusal:
        raise SubmissionRefused(str(refusal), step="name") from refusal
    return bot


def _refuse_ban(uploader: AbstractBaseUser, bot: Bot | None) -> None:
    try:
        # Recorded refusals are always in English.
        with translation.override("en"):
            refuse_banned(user=uploader, bot=bot)
    except Forbidden as ban:
        raise SubmissionRefused(str(ban), step="ban") from ban


def _read(archive: bytes, uploader: AbstractBaseUser) -> Manifest:
    allowed = archive_bytes_of(uploader)
    if len(archive) > allowed:
        raise SubmissionRefused(f"The archive has {len(archive):,} bytes, but at most {allowed:,} are allowed: "
                                "upload a smaller one.", step="unpack")
    try:
        return read_submission(archive)
    except ArchiveRefused as refusal:
        raise SubmissionRefused(sentence(str(refusal)), step="unpack") from refusal
    except ManifestRefused as refusal:
        raise SubmissionRefused(sentence(str(refusal)), step="manifest", line=refusal.line) from refusal


def _receive(archive: bytes, manifest: Manifest, facts: dict[str, object]) -> Submission:
    # Before anything is stored: most refusals happen here.
    _admit(manifest, facts)
    try:
        with transaction.atomic():
            # First, because storage may hang: waiting for it then delays only uploads of the same file.
            path = store("bots", archive)
            hold(Lock.UPLOADS)
            # Again, now that no other upload can come between: of two at once, only one may be the last that is
            # allowed.
            slug = _admit(manifest, facts)
            submission = Submission.objects.create(**facts, name=manifest.name, slug=slug, archive=path,
                                                   due_at=facts["received_at"])
            audit.record(actor=facts["uploader"], verb="upload", target=submission, now=facts["received_at"],
                         bot=manifest.name)
            wake(Step.PUBLISH)
    except BaseException as error:
        # Storage that has just timed out would only time out again.
        if not is_unreachable(error):
            _tidy_up(path_of("bots", archive))
        raise
    return submission


def _admit(manifest: Manifest, facts: dict[str, object]) -> str:
    """Return the slug of the upload's bot.

    Raises OverQuota, and SubmissionRefused for a name or archive that is taken.
    """
    refuse_over_quota(facts["uploader"], facts["received_at"])
    slug = address_of(manifest.name, bot_for(manifest.name, facts["uploader"]))
    _refuse_duplicate(slug, facts["sha256"])
    return slug


def _tidy_up(path: str) -> None:
    """Remove the archive of a failed upload. If that fails, the coordinator removes it within the hour."""
    try:
        remove_unnamed_upload(path)
    except Exception:
        log.exception("archive of a failed upload not removed: %s", path)


def _refuse_duplicate(slug: str, sha256: object) -> None:
    """Raise SubmissionRefused if the archive is, or is about to become, one of the bot's versions."""
    same = Version.objects.select_related("bot").filter(bot__slug=slug, sha256=sha256).first()
    if same is not None:
        raise SubmissionRefused(f"The archive is identical to that of {same}: upload a changed one.", step="duplicate")
    waiting = Submission.objects.filter(slug=slug, sha256=sha256, status__in=SUBMISSION_OPEN).first()
    if waiting is not None:
        raise SubmissionRefused(f"The archive is already being checked, as submission {waiting.pk}: "
                                "wait for the result.", step="duplicate")
