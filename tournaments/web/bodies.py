"""A request's body, taken in whole before the request gets a place to work or a connection to the database.

Who stops in the middle of a body keeps a thread waiting, and nothing else: so many bodies are taken in at a time, so
many of them of one network, and whoever comes above that is told at once to come back. Small bodies are kept in memory,
others in a temporary file without a name, which ends with its process.

A read of the server's cannot be ended from outside, and a thread that has answered in its place would leave it waiting.
So whoever sends slowly is told so between two reads; and whoever sends nothing, or next to nothing, has the connection
closed by a thread that watches (`Watch`).
"""

import logging
import os
import socket
import struct
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import IO, Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from tournaments.web.connection_pool import BODIES, READING
from tournaments.web.errors import turned_away, unavailable
from tournaments.web.visitors import network_of_client

log = logging.getLogger(__name__)

# At a time, in a process; of all there may be BODIES.
BODIES_OF_A_NETWORK: Final = 25
# Beyond the seconds that a body may take in any case, each second has to bring so many bytes.
SLOWEST_BYTES_PER_SECOND: Final = 64 * 2**10
_IN_MEMORY_BYTES: Final = 256 * 2**10
_READ_BYTES: Final = 64 * 2**10
# A browser shows no answer as long as it sends: a body that is too large is read to its end, unless it is much larger.
_READ_AND_DROPPED: Final = 4
# Linux's struct tcp_info: single bytes, then numbers of four and of eight. Milliseconds since something was sent, and
# received; bytes that were.
_TCP_INFO: Final = struct.Struct("@8x24I4Q")
_LAST_SENT, _LAST_RECEIVED, _BYTES_RECEIVED = 9, 11, 24 + 3


class TooMany(Exception):
    """As many bodies as may be are being taken in."""


class BodyRejected(Exception):
    """The body is not read, or not to its end; `status` says why."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Intake:
    """The bodies that this process is taking in: how many, of whom, and since when."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: Counter[str] = Counter()
        self._under_way: dict[object, tuple[str, float]] = {}

    @contextmanager
    def one(self, network: str, peer: str) -> Iterator[None]:
        """Take one in, from `network`, over a connection from the address `peer`. Raises TooMany."""
        mark = object()
        with self._lock:
            if len(self._under_way) >= BODIES or self._of[network] >= BODIES_OF_A_NETWORK:
                raise TooMany
            self._of[network] += 1
            self._under_way[mark] = peer, time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                del self._under_way[mark]
                self._of[network] -= 1
                if not self._of[network]:
                    del self._of[network]

    def peers_longer_than(self, seconds: float) -> set[str]:
        """Addresses whose bodies have been under way for longer."""
        with self._lock:
            return {peer for peer, since in self._under_way.values() if time.monotonic() - since > seconds}


INTAKE: Final = Intake()


class ReceivingMiddleware:
    """Hands requests on with their body whole, or answers in their place: 400, 408, 411, 413 or 503."""

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
                log.exception("a request's body could not be kept in %s", tempfile.gettempdir())
                return unavailable(request)
            return self._get_response(request)


def _receive(request: HttpRequest, body: IO[bytes]) -> None:
    """Take the request's body in, and have Django read it from there.

    Raises TurnedAway, TooMany, and OSError where there is no room for it.
    """
    length = 0
    # Nobody reads the body of the others.
    if request.method not in READING:
        # A body in chunks that was cut off cannot be told from a whole one: the server reports no error.
        if request.headers.get("Transfer-Encoding"):
            raise BodyRejected(411)
        length = _length_of(request)
    if length > _READ_AND_DROPPED * settings.MAX_BODY_BYTES:
        raise BodyRejected(413)
    if length:
        with INTAKE.one(network_of_client(request), str(request.META.get("REMOTE_ADDR", ""))):
            _take_in(request.META["wsgi.input"], length, body)
        body.seek(0)
    request.META["wsgi.input"] = body
    request.META["CONTENT_LENGTH"] = str(length)
    # What WSGIRequest made of wsgi.input before any middleware was asked.
    request._stream = body  # noqa: SLF001 - Django has no other way to give a request its body


def _length_of(request: HttpRequest) -> int:
    """Bytes of the body; 0 when its length is not said, and there is none then."""
    said = str(request.META.get("CONTENT_LENGTH", ""))
    return int(said) if said.isdecimal() else 0


def _take_in(source: Any, length: int, body: IO[bytes]) -> None:
    """Read `length` bytes. Raises TurnedAway, and OSError where there is no room for them."""
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


def watch_bodies(port: int) -> None:
    """Have a thread of this process, which serves at this port, close connections whose bodies do not come."""
    threading.Thread(target=Watch(port).run, name="bodies", daemon=True).start()


class Watch:
    """Looks at connections from where bodies are long under way, and closes those over which too little comes.

    The server says whose connection it is but not which. A connection on which the site has sent nothing for as long as
    a body may take is one that rests, which the server closes before that, or one that brings a body.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        # Of each connection that may be meant: when it was noticed, and how many bytes it had brought by then.
        self._noticed: dict[int, tuple[float, int]] = {}

    def run(self) -> None:
        """Look again and again, without end."""
        while True:
            time.sleep(min(10.0, settings.BODY_SECONDS / 4))
            self.look(settings.BODY_SECONDS)

    def look(self, seconds: float) -> None:
        """Close what has brought nothing for so long, or less than what is asked for in so long."""
        peers = {_plain(peer) for peer in INTAKE.peers_longer_than(seconds)}
        before, self._noticed = self._noticed, {}
        if not peers:
            return
        for connection in _connections(self._port):
            with connection, suppress(OSError):
                if _plain(connection.getpeername()[0]) not in peers:
                    continue
                sent, received, brought = _told(connection)
                if sent <= seconds:
                    continue
                name = os.fstat(connection.fileno()).st_ino
                since, had = before.get(name, (time.monotonic(), brought))
                passed = time.monotonic() - since
                if received > seconds or (passed > seconds and brought - had < passed * SLOWEST_BYTES_PER_SECOND):
                    connection.shutdown(socket.SHUT_RDWR)
                else:
                    self._noticed[name] = since, had


def _connections(port: int) -> Iterator[socket.socket]:
    """Copies of this process's connections at the port: others open and close theirs meanwhile, a copy stays."""
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if not descriptor.is_socket():
                continue
            copy = os.dup(int(descriptor.name))
            try:
                connection = socket.socket(fileno=copy)
            except OSError:
                os.close(copy)
                continue
            if connection.family in {socket.AF_INET, socket.AF_INET6} and connection.getsockname()[1] == port:
                yield connection
            else:
                connection.close()


def _told(connection: socket.socket) -> tuple[float, float, int]:
    """For how many seconds nothing was sent and received, and how many bytes the connection has brought."""
    numbers = _TCP_INFO.unpack(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size))
    return numbers[_LAST_SENT] / 1000, numbers[_LAST_RECEIVED] / 1000, numbers[_BYTES_RECEIVED]


def _plain(address: str) -> str:
    """An address as it is compared: IPv4 in IPv6's clothes is IPv4."""
    try:
        read = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(read.ipv4_mapped if isinstance(read, IPv6Address) and read.ipv4_mapped else read)
