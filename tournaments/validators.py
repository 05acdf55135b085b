"""Checks of single fields that forms and the API share."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files import File


def small_enough(archive: File) -> None:
    """Refuse an upload by its size, before anything of it is read into memory."""
    if archive.size > settings.MAX_ARCHIVE_BYTES:
        raise ValidationError(f"The archive has {archive.size:,} bytes; {settings.MAX_ARCHIVE_BYTES:,} are allowed.")
