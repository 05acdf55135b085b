"""The door for strangers' archives: what passes waits for its check, what does not is told why at once."""

import logging
from datetime import datetime
from pathlib import PurePosixPath

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import translation
from django.utils.text import slugify

from engines.manifest import Manifest, ManifestRefused
from engines.sandbox.archives.unpack import ArchiveRefused
from engines.sandbox.staging.submission import read_submission
from tournaments.models import Bot, Submission, Version
from tournaments.models.lifecycle import SUBMISSION_OPEN, SubmissionStatus
from tournaments.platform.refusals import Refused
from tournaments.platform.storage import is_unreachable
from tournaments.platform.text import sentence
from tournaments.selectors.shared.permissions import Forbidden, owns, refuse_banned
from tournaments.selectors.shared.quotas import archive_bytes_of, refuse_over_quota
from tournaments.services.bots.archives import content_hash, path_of, remove_unnamed_upload, store
from tournaments.services.shared import audit
from tournaments.services.shared.locks import Lock, hold

log = logging.getLogger(__name__)


class SubmissionRefused(Refused):
    """The archive cannot become a version: it is no archive, too large, or its manifest or name is not acceptable.

    `step` is the step of the check that it failed, `line` the line to mend or "", `submission` what was recorded.
    """

    submission: Submission | None = None

    def __init__(self, message: str, *, step: str, line: str = "") -> None:
        super().__init__(message)
        self.step = step
        self.line = line


def accept_upload(*, archive: bytes, filename: str, uploader: AbstractBaseUser, now: datetime) -> Submission:
    """Take an archive in, to be built and to qualify on a worker.

    Archive, manifest and name are judged here. Raises SubmissionRefused; the refused submission is recorded, and
    nothing else is left behind. Raises Forbidden for somebody banned and OverQuota, of which nothing is recorded.
    """
    refuse_banned(user=uploader)
    refuse_over_quota(uploader, now)
    # What is known of the upload either way.
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


def free_address(name: str, uploader: AbstractBaseUser) -> str:
    """The slug under which this author's bot of that name stands, or will stand.

    Raises SubmissionRefused when the name is not the author's to use, or author or bot are banned. Call it under
    Lock.UPLOADS.
    """
    slug = slugify(name)[:60].strip("-")
    if not slug:
        raise _name_refused(f"The name {name!r} has no letter or digit that an address could use.")
    bot = Bot.objects.filter(slug=slug).first()
    _refuse_ban(uploader, bot)
    if bot is not None and not owns(uploader, bot):
        raise _name_refused(f"The name {bot.name} belongs to another author: choose another name in bot.toml.")
    if bot is not None and bot.name != name:
        raise _name_refused(f"The name {name} is too like that of your bot {bot.name}: "
                            "write it the same way in bot.toml, or choose another name.")
    if bot is None and Submission.objects.filter(slug=slug, status__in=SUBMISSION_OPEN).exclude(
            uploader=uploader).exists():
        raise _name_refused(f"A bot of another author is being checked under the name {name}: "
                            "choose another name in bot.toml.")
    return slug


def _name_refused(message: str) -> SubmissionRefused:
    return SubmissionRefused(message, step="name")


def _refuse_ban(uploader: AbstractBaseUser, bot: Bot | None) -> None:
    try:
        # What is recorded of a submission is in English.
        with translation.override("en"):
            refuse_banned(user=uploader, bot=bot)
    except Forbidden as ban:
        raise SubmissionRefused(str(ban), step="ban") from ban


def _read(archive: bytes, uploader: AbstractBaseUser) -> Manifest:
    allowed = archive_bytes_of(uploader)
    if len(archive) > allowed:
        raise SubmissionRefused(f"The archive has {len(archive):,} bytes; {allowed:,} are allowed.", step="unpack")
    try:
        return read_submission(archive)
    except ArchiveRefused as refusal:
        raise SubmissionRefused(sentence(str(refusal)), step="unpack") from refusal
    except ManifestRefused as refusal:
        raise SubmissionRefused(sentence(str(refusal)), step="manifest", line=refusal.line) from refusal


def _receive(archive: bytes, manifest: Manifest, facts: dict[str, object]) -> Submission:
    # Before anything is stored: most of what is refused is refused here.
    _admit(manifest, facts)
    try:
        with transaction.atomic():
            # First, for storage may hang: who waits for it holds up those alone who upload the same file.
            path = store("bots", archive)
            hold(Lock.UPLOADS)
            # Again, now that nobody else uploads: of two at once only one may be the last.
            slug = _admit(manifest, facts)
            submission = Submission.objects.create(**facts, name=manifest.name, slug=slug, archive=path,
                                                   due_at=facts["received_at"])
            audit.record(actor=facts["uploader"], verb="upload", target=submission, now=facts["received_at"],
                         bot=manifest.name)
    except BaseException as error:
        # Storage that has just kept us waiting would do so again.
        if not is_unreachable(error):
            _tidy_up(path_of("bots", archive))
        raise
    return submission


def _admit(manifest: Manifest, facts: dict[str, object]) -> str:
    """The slug of the upload's bot. Raises OverQuota, and SubmissionRefused for a name or archive that is taken."""
    refuse_over_quota(facts["uploader"], facts["received_at"])
    slug = free_address(manifest.name, facts["uploader"])
    _refuse_duplicate(slug, facts["sha256"])
    return slug


def _tidy_up(path: str) -> None:
    """Remove an upload that came to nothing. What cannot be removed now the coordinator removes within the hour."""
    try:
        remove_unnamed_upload(path)
    except Exception:
        log.exception("the archive %s of an upload that failed could not be removed", path)


def _refuse_duplicate(slug: str, sha256: object) -> None:
    """Raise SubmissionRefused when the archive is one of the bot's versions, or about to become one."""
    same = Version.objects.select_related("bot").filter(bot__slug=slug, sha256=sha256).first()
    if same is not None:
        raise SubmissionRefused(f"The archive is the same as that of {same}.", step="duplicate")
    waiting = Submission.objects.filter(slug=slug, sha256=sha256, status__in=SUBMISSION_OPEN).first()
    if waiting is not None:
        raise SubmissionRefused(f"The archive is being checked already, as submission {waiting.pk}.", step="duplicate")
