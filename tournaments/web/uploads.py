"""Checks of single fields that forms and the API share."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.files import File
from django.utils.translation import gettext

from tournaments.operations.security_log import tell
from tournaments.platform.refusals import stated
from tournaments.selectors.shared.quotas import archive_bytes_of


def small_enough(archive: File, uploader: Any) -> File:
    """The upload itself. Raises ValidationError by its size, before anything of it is read into memory."""
    allowed = archive_bytes_of(uploader)
    if archive.size > allowed:
        tell("too large", bytes=archive.size)
        raise ValidationError(stated(gettext("The archive has %(size)s bytes; %(allowed)s are allowed."),
                                     size=archive.size, allowed=allowed))
    return archive
