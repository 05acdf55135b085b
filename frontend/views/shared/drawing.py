"""Pictures for requests: known ones from the cache, new ones within a quota, and drawn one at a time."""

import threading
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest
from django.utils.translation import gettext_noop

from frontend.pictures.gif import TooSlow
from frontend.pictures.kept import keep, kept
from tournaments.web.throttling import count

# Limit of the wait for other drawings, in seconds.
_PATIENCE_SECONDS: Final = 4.0
# A process draws one picture at a time, so that pages stay fast.
_drawing = threading.Lock()

TOO_MANY: Final = gettext_noop("Your address has requested too many new pictures. Try again in %(seconds)s seconds.")


class TooManyPictures(Exception):
    """The account or address has used up its quota of new pictures for the next `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def drawn(request: HttpRequest, key: str, draw: Callable[[], bytes]) -> bytes:
    """Return the picture with this key, a hash in hexadecimal digits. Raises TooManyPictures and TooSlow."""
    return kept(key) or _draw(request, key, draw)


def _draw(request: HttpRequest, key: str, draw: Callable[[], bytes]) -> bytes:
    quota = count(request, "pictures")
    if quota.used > quota.limit:
        raise TooManyPictures(quota.seconds_left)
    if not _drawing.acquire(timeout=_PATIENCE_SECONDS):
        raise TooSlow
    try:
        # Another request may have drawn it by now.
        picture = kept(key)
        if picture is None:
            picture = draw()
            keep(key, picture)
        return picture
    finally:
        _drawing.release()
