"""The door for strangers' archives: what is accepted becomes an immutable version, what is not is told why."""

import hashlib
from datetime import datetime
from pathlib import PurePosixPath

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils.text import slugify

from engines.manifest import Manifest, ManifestRefused
from engines.sandbox.submission import read_submission
from engines.sandbox.unpack import ArchiveRefused
from tournaments.models import Bot, Submission, Version
from tournaments.services.errors import Refused
from tournaments.services.locks import Lock, hold


class SubmissionRefused(Refused):
    """The archive cannot become a version: it is no archive, too large, or its manifest or name is not acceptable."""


def archive_hash(archive: bytes) -> str:
    """The hash by which an archive is known."""
    return hashlib.sha256(archive).hexdigest()


def accept_upload(*, archive: bytes, filename: str, uploader: AbstractBaseUser, now: datetime) -> Version:
    """Judge an archive and make the bot's next version of it.

    Raises SubmissionRefused; the refused submission is recorded, and nothing else is left behind.
    """
    # What is known of the upload either way.
    facts = {
        "uploader": uploader, "received_at": now, "size": len(archive), "sha256": archive_hash(archive),
        "filename": PurePosixPath(filename.replace("\\", "/")).name[:200] or "(no name)",
    }
    try:
        manifest = _read(archive)
        return _accept(archive, manifest, facts)
    except SubmissionRefused as refusal:
        Submission.objects.create(**facts, accepted=False, refusal=str(refusal))
        raise


def _read(archive: bytes) -> Manifest:
    if len(archive) > settings.MAX_ARCHIVE_BYTES:
        raise SubmissionRefused(
            f"The archive has {len(archive):,} bytes; {settings.MAX_ARCHIVE_BYTES:,} are allowed.")
    try:
        return read_submission(archive)
    except (ManifestRefused, ArchiveRefused) as error:
        raise SubmissionRefused(_sentence(str(error))) from error


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:].rstrip('.')}."


def _accept(archive: bytes, manifest: Manifest, facts: dict[str, object]) -> Version:
    storage = Version.archive.field.storage
    path = f"bots/{facts['sha256']}"
    # What lies there already belongs to an accepted version, or was left by a crash; either way it is this archive.
    known = storage.exists(path)
    try:
        with transaction.atomic():
            hold(Lock.UPLOADS)
            bot = _bot(manifest, facts)
            version = _version(bot, manifest, facts, path)
            if not known:
                storage.save(path, ContentFile(archive))
    except BaseException:
        if not known and not Version.objects.filter(archive=path).exists():
            storage.delete(path)
        raise
    return version


def _bot(manifest: Manifest, facts: dict[str, object]) -> Bot:
    """The bot that the manifest names, made if it is new. Raises SubmissionRefused when the name is not free."""
    slug = slugify(manifest.name)[:60].strip("-")
    if not slug:
        raise SubmissionRefused(f"The name {manifest.name!r} has no letter or digit that an address could use.")
    bot = Bot.objects.filter(slug=slug).first()
    if bot is None:
        return Bot.objects.create(slug=slug, name=manifest.name, owner=facts["uploader"],
                                  created_at=facts["received_at"])
    if bot.owner != facts["uploader"]:
        raise SubmissionRefused(f"The name {bot.name} belongs to another author: choose another name in bot.toml.")
    if bot.name != manifest.name:
        raise SubmissionRefused(f"The name {manifest.name} is too like that of your bot {bot.name}: "
                                "write it the same way in bot.toml, or choose another name.")
    return bot


def _version(bot: Bot, manifest: Manifest, facts: dict[str, object], path: str) -> Version:
    same = bot.versions.filter(sha256=facts["sha256"]).first()
    if same is not None:
        raise SubmissionRefused(f"The archive is the same as that of {same}.")
    newest = bot.versions.order_by("-number").first()
    submission = Submission.objects.create(**facts, accepted=True)
    return Version.objects.create(
        bot=bot, number=newest.number + 1 if newest else 1, submission=submission, archive=path,
        sha256=facts["sha256"], rulesets=list(manifest.rulesets), trusted=submission.uploader.is_staff,
        created_at=facts["received_at"])
