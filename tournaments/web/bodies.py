"""Receiving of request bodies, before a request gets a place to work or a connection to the database.

A client that stops in the middle of a body blocks one thread and nothing else (docs/explanation/reliability.md): the
number of bodies received at a time is limited, in total and per network, and the site answers 503 above these limits.
Small bodies stay in memory; larger ones go to an unnamed temporary file, which disappears with its process.

A blocking read of the server cannot be interrupted. A client that sends too slowly is therefore answered between two
reads. Only a proxy in front of the site closes connections on which nothing arrives
(docs/how-to/operator/proxy.md).
"""

import logging
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from tournaments.web.connection_pool import BODIES, READING
from tournaments.web.errors import turned_away, unavailable
from tournaments.web.visitors import network_of_client

log = logging.getLogger(__name__)

# Bodies of a network at a time, in a process; BODIES is the limit for all networks together.
BODIES_OF_A_NETWORK: Final = 25
# Minimum rate of a body that takes longer than settings.BODY_SECONDS.
SLOWEST_BYTES_PER_SECOND: Final = 64 * 2**10
_IN_MEMORY_BYTES: Final = 256 * 2**10
_READ_BYTES: Final = 64 * 2**10
# A browser shows no answer while it sends, so a body that is too large is read to its end, unless it is much larger.
_READ_AND_DROPPED: Final = 4


class TooMany(Exception):
    """The maximum number of bodies is already being received."""


class BodyRejected(Exception):
    """The body is not read, or not to its end; `status` is the HTTP status that says why."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Intake:
    """Count of the bodies that this process is receiving, in total and per network."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: Counter[str] = Counter()

    @contextmanager
    def one(self, network: str) -> Iterator[None]:
        """Count one body from `network` while it is being received. Raises TooMany."""
        with self._lock:
            if self._of.total() >= BODIES or self._of[network] >= BODIES_OF_A_NETWORK:
                raise TooMany
            self._of[network] += 1
        try:
            yield
        finally:
            with self._lock:
                self._of[network] -= 1
                if not self._of[network]:
                    del self._of[network]


INTAKE: Final = Intake()


class ReceivingMiddleware:
    """Middleware that passes requests on with their whole body, or answers 400, 408, 411, 413 or 503."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as body:
            try:
                _receive(request, body)
            except BodyRejected as refusal:
                return turned_away(request, refusal.status)
            except TooMany:
                return unavailable(request)
            except OSError:
                log.exception("could not store a request body in %s", tempfile.gettempdir())
                return unavailable(request)
            return self._get_response(request)


def _receive(request: HttpRequest, body: IO[bytes]) -> None:
    """Receive the request's body into `body`, and let Django read it from there.

    Raises BodyRejected, TooMany, and OSError if there is no room for it.
    """
    length = 0
    # The bodies of other requests are never read.
    if request.method not in READING:
        # A truncated body in chunks looks like a whole one: the server reports no error.
        if request.headers.get("Transfer-Encoding"):
            raise BodyRejected(411)
        length = _length_of(request)
    if length > _READ_AND_DROPPED * settings.MAX_BODY_BYTES:
        raise BodyRejected(413)
    if length:
        with INTAKE.one(network_of_client(request)):
            _take_in(request.META["wsgi.input"], length, body)
        body.seek(0)
    request.META["wsgi.input"] = body
    request.META["CONTENT_LENGTH"] = str(length)
    # WSGIRequest has wrapped wsgi.input before any middleware runs.
    request._stream = body  # noqa: SLF001 - Django has no other way to give a request its body


def _length_of(request: HttpRequest) -> int:
    """Return the length of the body in bytes; 0 without a Content-Length, because there is then no body."""
    said = str(request.META.get("CONTENT_LENGTH", ""))
    return int(said) if said.isdecimal() else 0


def _take_in(source: Any, length: int, body: IO[bytes]) -> None:
    """Read `length` bytes. Raises BodyRejected, and OSError if there is no room for them."""
    began = time.monotonic()
    kept = length <= settings.MAX_BODY_BYTES
    received = 0
    while received < length:
        part = source.read(min(_READ_BYTES, length - received))
        if not part:
            raise BodyRejected(400)
        received += len(part)
        if kept:
            body.write(part)
        if received < length and time.monotonic() - began > (
            settings.BODY_SECONDS + received / SLOWEST_BYTES_PER_SECOND
        ):
            raise BodyRejected(408)
    if not kept:
        raise BodyRejected(413)
