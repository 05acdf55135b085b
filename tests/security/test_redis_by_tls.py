"""Redis with TLS: every client verifies the server's certificate, and sends nothing to another server."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from celery import Celery
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import RequestFactory
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from tests.waiting import wait_for
from tournaments import celery
from tournaments.operations import health
from tournaments.platform import cache
from tournaments.selectors.matches.live_turns import GameKey, LiveTurn, LiveTurns


class Tunnel:
    """A TLS proxy for a Redis without TLS: forwards decrypted data to `target` and records it in `received`."""

    def __init__(self, target: str, certificate: Path) -> None:
        self.received, self.number = b"", "0"
        self._target = target
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._carry, args=[self._listener.accept()[0]], daemon=True).start()

    def _carry(self, plain: socket.socket) -> None:
        with contextlib.suppress(OSError), self._context.wrap_socket(plain, server_side=True) as near, \
                socket.socket(socket.AF_UNIX) as far:
            far.connect(self._target)
            threading.Thread(target=_answers, args=[far, near], daemon=True).start()
            while data := near.recv(65_536):
                self.received += data
                far.sendall(data)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def _answers(far: socket.socket, near: ssl.SSLSocket) -> None:
    with contextlib.suppress(OSError):
        while data := far.recv(65_536):
            near.sendall(data)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with the key and the self-signed certificate of "localhost"."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(key, hashes.SHA256()))
    file = tmp_path_factory.mktemp("tls") / "redis.pem"
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                       serialization.NoEncryption()) + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def tunnel(redis_url: str, certificate: Path) -> Iterator[Tunnel]:
    address = urlsplit(redis_url)
    if address.scheme != "redis+socket":
        pytest.skip("needs a Redis at a Unix socket")
    made = Tunnel(address.path, certificate)
    made.number = parse_qs(address.query).get("virtual_host", ["0"])[0]
    yield made
    made.close()


def by_broker(url: str, settings: Any) -> bool:
    settings.REDIS_URL = url
    app = Celery("another", set_as_current=False)
    celery._configure(app)
    with app.connection_for_write(transport_options={"socket_timeout": 60, "socket_connect_timeout": 60}) as connection:
        connection.ensure_connection(max_retries=1, interval_start=0)
        return bool(connection.default_channel.client.ping())


def by_cache(url: str, settings: Any) -> bool:
    setting = cache.cache_for(url)
    kept = cache.ForgivingRedisCache(setting["LOCATION"], {"OPTIONS": setting["OPTIONS"]})
    kept.set("by-tls", 7)
    return kept.get("by-tls") == 7


def by_live_turns(url: str, settings: Any) -> bool:
    turns, key = LiveTurns(cache.redis_address(url) or ""), GameKey(1, 1, 1)
    turns.append(key, [LiveTurn("a1", 0.1)], anew=True)
    return turns.read([key])[0] is not None


def by_health(url: str, settings: Any) -> bool:
    settings.REDIS_URL = url
    with health.redis_client() as client:
        return bool(client.ping())


@pytest.fixture(params=[by_broker, by_cache, by_live_turns, by_health])
def client(request: pytest.FixtureRequest, settings: Any) -> Callable[[str], bool]:
    """Return a check of one of the service's Redis clients: true if it works, false if it raises an error."""

    def client(url: str) -> bool:
        try:
            return request.param(url, settings)
        except (RedisError, OperationalError, OSError):
            return False
    return client


class TestAClientOfRedis:
    def test_accepts_the_configured_certificate(self, client: Any, tunnel: Tunnel,
                                                           certificate: Path) -> None:
        # The service gives up after a second or two, which may be too short for a busy machine.
        url = f"rediss://localhost:{tunnel.port}/{tunnel.number}?ssl_ca_certs={certificate}"
        assert wait_for(lambda: client(url), "an answer of Redis")
        assert tunnel.received

    def test_sends_nothing_to_a_server_with_an_untrusted_certificate(self, client: Any, tunnel: Tunnel) -> None:
        assert not client(f"rediss://:a-password@localhost:{tunnel.port}/0")
        assert tunnel.received == b""

    def test_sends_nothing_to_a_host_that_the_certificate_does_not_name(self, client: Any, tunnel: Tunnel,
                                                                 certificate: Path) -> None:
        assert not client(f"rediss://:a-password@127.0.0.1:{tunnel.port}/0?ssl_ca_certs={certificate}")
        assert tunnel.received == b""

    def test_does_not_fall_back_to_plain_text(self, client: Any, redis_url: str) -> None:
        """The server has no TLS, and answers every command with OK in clear text."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            received: list[bytes] = []

            def serve() -> None:
                with contextlib.suppress(OSError):
                    while True:
                        near, _ = listener.accept()
                        with near:
                            near.settimeout(60)
                            received.append(near.recv(65_536))
                            near.sendall(b"+OK\r\n")
            threading.Thread(target=serve, daemon=True).start()
            assert not client(f"rediss://:a-password@localhost:{listener.getsockname()[1]}/0")
        assert all(b"a-password" not in said and b"PING" not in said for said in received)


class TestTheHealthCheck:
    @pytest.mark.django_db
    def test_reports_an_unverified_redis_as_away(self, tunnel: Tunnel, settings: Any) -> None:
        settings.REDIS_URL = f"rediss://localhost:{tunnel.port}/0"
        answer = health.HealthMiddleware(lambda request: None)(RequestFactory().get("/health/ready"))
        assert b"unreachable" in answer.content
