"""Strangers' files in storage, each named by the hash of its content."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from tournaments.models import Submission
from tournaments.services.locks import Lock, hold

_KEPT_WHEN_OLDER: Final = timedelta(days=1)


def content_hash(content: bytes) -> str:
    """The hash by which an archive or a built tree is known, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def path_of(directory: str, content: bytes) -> str:
    """Where this content lies, or would lie."""
    return f"{directory}/{content_hash(content)}"


def keep(directory: str, content: bytes) -> str:
    """Store the content, unless it lies there already, and return its path."""
    path = path_of(directory, content)
    if default_storage.exists(path):
        if default_storage.size(path) == len(content):
            return path
        # Cut short by a crash: nothing else can have this name and another size.
        default_storage.delete(path)
    kept = default_storage.save(path, ContentFile(content))
    if kept != path:
        # Somebody stored the same a moment ago, and storage chose another name for ours.
        default_storage.delete(kept)
    return path


def remove_orphans(now: datetime) -> int:
    """Delete the uploads of the last day that no submission names, and return how many.

    A web process died between storing them and recording them. They are stored and recorded under Lock.UPLOADS, so
    none is in between while it is held here. Older files stay: the database may be an old one, put back by mistake.
    """
    try:
        stored = {f"bots/{name}" for name in default_storage.listdir("bots")[1]}
    except FileNotFoundError:
        return 0
    removed = 0
    for path in stored.difference(Submission.objects.values_list("archive", flat=True).iterator()):
        with transaction.atomic():
            hold(Lock.UPLOADS)
            if default_storage.get_modified_time(path) < now - _KEPT_WHEN_OLDER:
                continue
            if not Submission.objects.filter(archive=path).exists():
                default_storage.delete(path)
                removed += 1
    return removed
