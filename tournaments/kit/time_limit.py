"""A limit on the total time of one request: `urllib` limits only each single wait, which one byte ends."""

import http.client
import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Any, Self
from urllib.request import HTTPHandler, HTTPSHandler, Request


class TimeLimit:
    """Ends the connections of a `with` block `seconds` after its beginning. `passed` tells whether it did."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self._copies: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._hang_up)
        self._timer.daemon = True

    def handlers(self) -> tuple[HTTPHandler, HTTPSHandler]:
        """Return handlers for `build_opener`, which open the connections."""
        return _Plain(self), _Encrypted(self)

    def watch(self, opened: socket.socket) -> None:
        """End this connection, too. Its copy can be shut down by another thread, whoever reads the original."""
        self._copies.append(opened.dup())
        if self.passed:
            self._hang_up()

    def _hang_up(self) -> None:
        self.passed = True
        for copy in self._copies:
            with suppress(OSError):
                copy.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._timer.cancel()
        self._timer.join()
        for copy in self._copies:
            copy.close()


class _Connection(http.client.HTTPConnection):
    limit: TimeLimit

    def connect(self) -> None:
        super().connect()
        self.limit.watch(self.sock)


class _SecureConnection(http.client.HTTPSConnection, _Connection):
    """Its `connect` calls that of `_Connection` first, so that the limit includes the TLS handshake."""


class _Plain(HTTPHandler):
    def __init__(self, limit: TimeLimit) -> None:
        super().__init__()
        self._limit = limit

    def http_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(_limited(_Connection, self._limit), req)


class _Encrypted(HTTPSHandler):
    def __init__(self, limit: TimeLimit) -> None:
        super().__init__()
        self._limit = limit

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(_limited(_SecureConnection, self._limit), req)


def _limited(kind: type[_Connection], limit: TimeLimit) -> Any:
    """Return a function that opens connections of this kind, which the limit ends."""
    def connection(host: str, **options: Any) -> _Connection:
        made = kind(host, **options)
        made.limit = limit
        return made

    return connection
