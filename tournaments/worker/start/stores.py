"""Checks of the places that a worker writes to: the storage of builds, and its own disk."""

import errno
from contextlib import suppress
from secrets import token_hex
from typing import Final

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from engines.sandbox import Sandbox, SandboxError
from tournaments.worker.start.errors import SPACE, CannotWork

_REMEDIES: Final = {
    errno.ENOSPC: "Free some space there, or make the volume larger",
    errno.EDQUOT: "Free some space there, or raise the quota",
    errno.EROFS: "Mount the directory builds in it writable; the rest may be read-only for workers",
    errno.EACCES: "Let the worker's user write to the directory builds in it",
}


def check_storage() -> None:
    """Store a small file next to the builds and delete it. Raises CannotWork if that fails."""
    try:
        path = default_storage.save(f"builds/probe-{token_hex(8)}", ContentFile(b"A worker has started."))
        with suppress(FileNotFoundError):  # the coordinator has removed it as an orphan
            default_storage.delete(path)
    except Exception as error:  # noqa: BLE001 - every kind of storage has errors of its own
        remedy = _REMEDIES.get(getattr(error, "errno", None) or 0, "Check SQUAREFIELD_ARCHIVES, or "
                               "SQUAREFIELD_STORAGE_URL and its keys")
        raise CannotWork(f"The worker cannot store builds in {_place()}: {_line(error)}. {remedy}.") from None


def check_disk(sandbox: Sandbox) -> None:
    """Start a program in the sandbox, which needs some space on the disk. Raises CannotWork if that fails."""
    try:
        sandbox.try_out()
    except SandboxError as reason:
        raise CannotWork(f"The worker cannot start bots: {reason}. {SPACE}") from None


def _place() -> str:
    options = settings.STORAGES["default"].get("OPTIONS", {})
    return options.get("location") if "bucket_name" not in options else f"the bucket {options['bucket_name']}"


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")
