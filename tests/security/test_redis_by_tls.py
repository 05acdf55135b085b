"""Redis by TLS: every client of ours asks whose certificate it is, and sends nothing to anybody else."""

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

from tournaments import celery
from tournaments.operations import health
from tournaments.platform import cache
from tournaments.selectors.matches.live_turns import GameKey, LiveTurn, LiveTurns


class Tunnel:
    """TLS before a Redis that has none: what it decrypts goes on to `target`, and is kept in `heard`."""

    def __init__(self, target: str, certificate: Path) -> None:
        self.heard, self.number = b"", "0"
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
                self.heard += data
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
    """Key and certificate of "localhost", signed by itself."""
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
        pytest.skip("The tunnel leads to a socket")
    made = Tunnel(address.path, certificate)
    made.number = parse_qs(address.query).get("virtual_host", ["0"])[0]
    yield made
    made.close()


def by_broker(url: str, settings: Any) -> bool:
    settings.REDIS_URL = url
    app = Celery("another", set_as_current=False)
    celery._configure(app)
    with app.connection_for_write(transport_options={"socket_timeout": 5, "socket_connect_timeout": 5}) as connection:
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
    """One of the service's clients of Redis: whether it can do what it is for; what it raises is no."""

    def client(url: str) -> bool:
        try:
            return request.param(url, settings)
        except (RedisError, OperationalError, OSError):
            return False
    return client


class TestAClientOfRedis:
    def test_takes_the_certificate_that_the_operator_names(self, client: Any, tunnel: Tunnel,
                                                           certificate: Path) -> None:
        assert client(f"rediss://localhost:{tunnel.port}/{tunnel.number}?ssl_ca_certs={certificate}")
        assert tunnel.heard

    def test_sends_nothing_to_a_server_whose_certificate_nobody_vouches_for(self, client: Any, tunnel: Tunnel) -> None:
        assert not client(f"rediss://:a-password@localhost:{tunnel.port}/0")
        assert tunnel.heard == b""

    def test_sends_nothing_to_another_host_than_the_certificates(self, client: Any, tunnel: Tunnel,
                                                                 certificate: Path) -> None:
        assert not client(f"rediss://:a-password@127.0.0.1:{tunnel.port}/0?ssl_ca_certs={certificate}")
        assert tunnel.heard == b""

    def test_does_not_fall_back_from_tls(self, client: Any, redis_url: str) -> None:
        """The server speaks none: a Redis that answers whatever it is told, in clear."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            heard: list[bytes] = []

            def serve() -> None:
                with contextlib.suppress(OSError):
                    while True:
                        near, _ = listener.accept()
                        with near:
                            near.settimeout(5)
                            heard.append(near.recv(65_536))
                            near.sendall(b"+OK\r\n")
            threading.Thread(target=serve, daemon=True).start()
            assert not client(f"rediss://:a-password@localhost:{listener.getsockname()[1]}/0")
        assert all(b"a-password" not in said and b"PING" not in said for said in heard)


class TestTheHealthCheck:
    @pytest.mark.django_db
    def test_says_that_such_a_redis_is_away(self, tunnel: Tunnel, settings: Any) -> None:
        settings.REDIS_URL = f"rediss://localhost:{tunnel.port}/0"
        answer = health.HealthMiddleware(lambda request: None)(RequestFactory().get("/health/ready"))
        assert b"unreachable" in answer.content
