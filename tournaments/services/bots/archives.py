"""Strangers' files in storage, each named by the hash of its content."""

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
    """The hash by which an archive or a built tree is known, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def path_of(directory: str, content: bytes) -> str:
    """Where this content lies, or would lie."""
    return f"{directory}/{content_hash(content)}"


def store(directory: str, content: bytes) -> str:
    """Store the content, unless it lies there already, and return its path.

    In the transaction that names it: nobody takes it for an orphan. Storage may take its time: of other locks hold none
    yet. Its own lock it needs, as of two who store the same at once, the second would take the first one's file, which
    grows, for a broken one.
    """
    path = path_of(directory, content)
    _hold_file(path)
    if default_storage.exists(path):
        if default_storage.size(path) == len(content):
            return path
        # Cut short by a crash: nothing else can have this name and another size.
        default_storage.delete(path)
    stored = default_storage.save(path, ContentFile(content))
    if stored != path:
        # Somebody stored the same a moment ago, and storage chose another name for ours.
        default_storage.delete(stored)
    return path


def _hold_file(path: str) -> None:
    """Wait for those who store or remove this file, and for no others."""
    hold(Lock.FILES, zlib.crc32(path.encode()))


def remove_orphans(now: datetime) -> int:
    """Delete the uploads and builds of the last day that no submission and no version names, and return how many.

    A process died between storing them and recording them. They are stored and recorded in one transaction, under the
    lock of the file, so none is in between while it is held here. Workers of an older release hold none for builds:
    young ones are left for the next time. Older files stay: the database may be an old one, put back by mistake.
    """
    oldest = now - _LEFT_WHEN_OLDER
    return (
        _remove_unnamed("bots", Submission.objects.all(), "archive", oldest)
        + _remove_unnamed("builds", Version.objects.all(), "artefact", oldest, now - _BUILDS_LEFT_ALONE))


def remove_unnamed_upload(path: str) -> bool:
    """Delete the upload if no submission names it, and return whether it was deleted."""
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
            # Whoever stored it meanwhile under another name has taken that away again.
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
