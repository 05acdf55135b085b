"""Checks of upload fields, shared by forms and the API."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.files import File
from django.utils.translation import gettext

from tournaments.operations.security_log import tell
from tournaments.platform.refusals import stated
from tournaments.selectors.shared.quotas import archive_bytes_of


def small_enough(archive: File, uploader: Any) -> File:
    """Return the upload. Raises ValidationError if it is too large, before it is read into memory."""
    allowed = archive_bytes_of(uploader)
    if archive.size > allowed:
        tell("too large", bytes=archive.size)
        raise ValidationError(stated(gettext("The archive has %(size)s bytes; the limit is %(allowed)s. Upload a "
                                             "smaller archive."),
                                     size=archive.size, allowed=allowed))
    return archive
