"""Uploads and builds in storage, each named by the hash of its content."""

import hashlib
import zlib
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet

from tournaments.models import Submission, Version
from tournaments.services.shared.locks import Lock, hold

_LEFT_WHEN_OLDER: Final = timedelta(days=1)
_BUILDS_LEFT_ALONE: Final = timedelta(minutes=10)


def content_hash(content: bytes) -> str:
    """Return the hash that identifies an archive or a build, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def path_of(directory: str, content: bytes) -> str:
    """Return the path of this content, whether it is stored or not."""
    return f"{directory}/{content_hash(content)}"


def store(directory: str, content: bytes) -> str:
    """Store the content, unless it is already stored, and return its path.

    Call it in the transaction that records the path, so that the file is never taken for an orphan. Storage may be
    slow, so hold no other lock yet. The file has a lock of its own: without it, if two callers stored the same content
    at once, the second would take the first one's growing file for a broken one and delete it.
    """
    path = path_of(directory, content)
    _hold_file(path)
    if default_storage.exists(path):
        if default_storage.size(path) == len(content):
            return path
        # A crash cut it short: no other file can have this name and a different size.
        default_storage.delete(path)
    stored = default_storage.save(path, ContentFile(content))
    if stored != path:
        # Another process stored the same content a moment ago, so storage chose another name for this copy.
        default_storage.delete(stored)
    return path


def _hold_file(path: str) -> None:
    """Wait for processes that store or remove this file, and for no others."""
    hold(Lock.FILES, zlib.crc32(path.encode()))


def remove_orphans(now: datetime) -> int:
    """Delete the last day's uploads and builds that no submission or version refers to; return how many.

    They remain when a process dies between storing and recording them. Both are done in one transaction, under the lock
    of the file, so no file is between the two steps while the lock is held here. Workers of an older release do not
    take the lock for builds, so recent builds are left for the next run. Older files are retained, because the database
    may be an old one, restored by mistake.
    """
    oldest = now - _LEFT_WHEN_OLDER
    return (
        _remove_unnamed("bots", Submission.objects.all(), "archive", oldest)
        + _remove_unnamed("builds", Version.objects.all(), "artefact", oldest, now - _BUILDS_LEFT_ALONE))


def remove_unnamed_upload(path: str) -> bool:
    """Delete the upload if no submission refers to it; return whether it was deleted."""
    with transaction.atomic():
        _hold_file(path)
        return _remove_unless_named(path, Submission.objects.all(), "archive")


def _remove_unnamed(directory: str, rows: QuerySet[Any], field: str, oldest: datetime,
                    newest: datetime | None = None) -> int:
    try:
        stored = {f"{directory}/{name}" for name in default_storage.listdir(directory)[1]}
    except FileNotFoundError:
        return 0
    removed = 0
    for path in stored.difference(rows.values_list(field, flat=True).iterator()):
        with transaction.atomic():
            _hold_file(path)
            # The file may be gone: a process that had to store its copy under another name deletes that copy.
            with suppress(FileNotFoundError):
                stored_at = default_storage.get_modified_time(path)
                if stored_at >= oldest and (newest is None or stored_at <= newest):
                    removed += _remove_unless_named(path, rows, field)
    return removed


def _remove_unless_named(path: str, rows: QuerySet[Any], field: str) -> bool:
    if rows.filter(**{field: path}).exists():
        return False
    default_storage.delete(path)
    return True
