"""Posting to a user-supplied address: which ones are refused, and what limits the other side.

The name is resolved once, every address of it is checked, and the connection goes to one of those: a name that resolves
differently a moment later gains nothing. Redirects are answers like any others, proxies are not used, and the whole
exchange ends at a fixed time, however slow the other side is.
"""

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext

from tournaments.platform.refusals import stated

CONNECT_SECONDS: Final = 5.0
# From the connection to the last byte of the answer that is read.
EXCHANGE_SECONDS: Final = 10.0
ANSWER_BYTES: Final = 2048


class DeliveryFailed(Exception):
    """The address is not acceptable, or did not answer. `str()` is shown to the owner of the address."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of the receiver: the HTTP status, and the beginning of the body as text."""

    status: int
    body: str

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300


def parse(url: str) -> SplitResult:
    """Return the parts of the address, after checking its form alone. Raises DeliveryFailed."""
    if not url.isascii() or not url.isprintable() or any(sign in url for sign in ' "<>\\^`{|}'):
        raise DeliveryFailed(gettext(
            "The address has characters that URLs cannot have: percent-encode them, and write a host name in its "
            "xn-- form."))
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise DeliveryFailed(stated(gettext("This is not a valid address: %(error)s."), error=error)) from None
    schemes = ("https", "http") if settings.WEBHOOK_HTTP else ("https",)
    if parts.scheme not in schemes or not parts.hostname or port == 0:
        raise DeliveryFailed(stated(gettext("The address must begin with %(scheme)s and a host."),
                                    scheme=" / ".join(f"{scheme}://" for scheme in schemes)))
    if parts.username is not None or parts.password is not None:
        raise DeliveryFailed(gettext("The address must not have a user name or password: verify the sender by the "
                                     "signature instead."))
    # A name is checked when it is resolved, at every delivery.
    if (address := _written_as_number(parts.hostname)) is not None:
        _refuse_inner(address)
    return parts


def post(url: str, *, body: bytes, headers: Mapping[str, str]) -> Answer:
    """POST once and return the answer, regardless of its status. Raises DeliveryFailed."""
    parts = parse(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        raw = socket.create_connection((_resolve(parts.hostname, port), port), timeout=CONNECT_SECONDS)
    except OSError as error:
        raise DeliveryFailed(f"No connection: {error}.") from error
    late = threading.Event()
    with raw:
        watchdog = threading.Timer(EXCHANGE_SECONDS, _hang_up, [raw, late])
        watchdog.daemon = True
        watchdog.start()
        try:
            return _exchange(raw, parts, port, body, headers, late)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise DeliveryFailed(f"No answer within {EXCHANGE_SECONDS:g} s." if late.is_set()
                             else f"No answer: {type(error).__name__}: {error}.") from error
        finally:
            watchdog.cancel()


def _exchange(raw: socket.socket, parts: SplitResult, port: int, body: bytes, headers: Mapping[str, str],
              late: threading.Event) -> Answer:
    stream = raw
    if parts.scheme == "https":
        # A copy of the descriptor: the watchdog keeps the original, which it may shut down at any moment.
        stream = ssl.create_default_context().wrap_socket(raw.dup(), server_hostname=parts.hostname)
    with stream:
        connection = http.client.HTTPConnection(parts.hostname, port)
        connection.default_port = 443 if parts.scheme == "https" else 80
        connection.sock = stream
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        connection.request("POST", target, body, {**headers, "Connection": "close"})
        with connection.getresponse() as response:
            if late.is_set():
                # http.client takes a stream that was cut off between two headers for the end of the headers.
                raise TimeoutError
            return Answer(response.status, _beginning(response))


def _beginning(response: http.client.HTTPResponse) -> str:
    """Return the beginning of the answer's body. The status counts, even if the body is cut off."""
    read = b""
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
        while len(read) < ANSWER_BYTES and (more := response.read1(ANSWER_BYTES - len(read))):
            read += more
    return read.decode("utf-8", "replace")


def _hang_up(raw: socket.socket, late: threading.Event) -> None:
    """End the exchange from another thread: reads and writes there then find the stream closed."""
    late.set()
    with contextlib.suppress(OSError):
        raw.shutdown(socket.SHUT_RDWR)


def _resolve(host: str, port: int) -> str:
    """Return the first of the host's addresses, after checking all of them. Raises DeliveryFailed."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise DeliveryFailed(f"The host {host} cannot be resolved: {error}.") from None
    for *_, address in found:
        # Without the scope of a link-local address: such an address is refused anyway.
        _refuse_inner(ip_address(str(address[0]).partition("%")[0]))
    return str(found[0][4][0])


def _written_as_number(host: str) -> IPv4Address | IPv6Address | None:
    """Return the host as an address, in any notation of the resolver, such as 127.1 or 0x7f.1; None for a name."""
    with contextlib.suppress(ValueError):
        return ip_address(host)
    with contextlib.suppress(OSError):
        return IPv4Address(socket.inet_aton(host))
    return None


def _refuse_inner(address: IPv4Address | IPv6Address) -> None:
    """Raise DeliveryFailed for an address that is not on the public internet."""
    if settings.WEBHOOK_PRIVATE:
        return
    within: IPv4Address | IPv6Address = address
    site_local = False
    if isinstance(address, IPv6Address):
        within = address.ipv4_mapped or address.sixtofour or address
        site_local = address.is_site_local
    if not within.is_global or within.is_multicast or within.is_reserved or site_local:
        raise DeliveryFailed(stated(gettext(
            "%(address)s is not on the public internet: use a public address."), address=address))
