"""Addresses that webhooks may not use, and protection of the sender from its receivers."""

import http.client
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager
from ipaddress import IPv4Address
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.services.notices import posting
from tournaments.services.notices.posting import DeliveryFailed

INNER = [
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1",  # noqa: S104 - nothing is bound
    "100.64.0.1", "169.254.169.254", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1",
    "[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[ff02::1]", "[fec0::1]", "[2001:db8::1]",
    "2130706433", "0x7f.1", "127.1", "0", "0x7F000001", "0177.0.0.01", "10.257", "2852039166", "[::127.0.0.1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]", "[2002:7f00:1::]", "[64:ff9b::7f00:1]",
]
NO_WEB_ADDRESSES = [
    "ftp://example.org/", "file:///etc/passwd", "example.org", "https://", "https:///path", "//example.org/", "",
    "https://user@example.org/", "https://user:pass@example.org/", "https://example.org:99999/",
    "https://example.org:0/", "https://example.org/ x", "https://example.org/\r\nHost: x", "https://exämple.org/",
    "https://[::1/", "gopher://example.org:70/_x", "javascript:alert(1)", "https://example.org\\@127.0.0.1/",
]
PUBLIC = ["https://example.org", "https://example.org:8443/a?b=c", "https://93.184.215.14/",
          "https://[2606:2800:220:1::]/x", "https://1572394766/", "https://0x5d.12048142/"]


def refusal(url: str) -> str:
    """Why the address is refused, or nothing."""
    try:
        posting.parse(url)
    except DeliveryFailed as error:
        return str(error)
    return ""


def post(url: str) -> posting.Answer:
    return posting.post(url, body=b"{}", headers={})


class TestAnAddress:
    def test_of_the_machine_or_its_network_is_refused_without_resolving(self):
        accepted = [host for host in INNER if "is not on the public internet" not in refusal(f"https://{host}/")]
        assert accepted == []

    def test_by_name_is_refused_when_it_is_resolved(self):
        assert not refusal("https://localhost/")
        with pytest.raises(DeliveryFailed, match="is not on the public internet"):
            post("https://localhost/")

    @given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 3, 4]), st.sampled_from(["{}", "0x{:x}", "0{:o}"]))
    def test_in_any_notation_is_checked_as_the_resolver_reads_it(self, number, parts, notation):
        # The last part has all remaining bits.
        head = [number >> shift & 255 for shift in (24, 16, 8)][:parts - 1]
        host = ".".join(notation.format(part) for part in [*head, number & (1 << 8 * (5 - parts)) - 1])
        [(*_, (address, _))] = socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
        assert IPv4Address(address) == IPv4Address(number)
        assert bool(refusal(f"https://{host}/")) == bool(refusal(f"https://{address}/"))

    def test_is_refused_when_one_of_its_hosts_addresses_is_private(self, monkeypatch):
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443))
                 for address in ("93.184.215.14", "10.0.0.1")]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: found)
        with pytest.raises(DeliveryFailed, match=r"10\.0\.0\.1 is not"):
            post("https://example.org/")

    def test_is_accepted_only_if_it_is_a_plain_web_address(self, settings):
        assert [url for url in NO_WEB_ADDRESSES if not refusal(url)] == []
        assert [url for url in PUBLIC if refusal(url)] == []
        assert "begin with https://" in refusal("http://example.org/")
        settings.WEBHOOK_HTTP = True
        assert not refusal("http://example.org/")


class TestAPost:
    def test_connects_to_the_checked_address_and_names_the_host(self, receiver, monkeypatch):
        asked = []
        real = socket.getaddrinfo

        def resolve(host, *args, **kwargs):
            asked.append(host)
            return real("127.0.0.1" if host == "hook.test" else host, *args, **kwargs)

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        # Proxies are not used.
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
        assert post(f"http://hook.test:{receiver.server_port}/").accepted
        assert receiver.posts[0][1]["Host"] == f"hook.test:{receiver.server_port}"
        assert asked.count("hook.test") == 1

    def test_follows_no_redirect_and_reads_only_the_start_of_an_answer(self, receiver):
        receiver.status, receiver.headers = 302, {"Location": "/elsewhere"}
        receiver.body = b"x" * 2**20
        assert post(receiver.url) == posting.Answer(302, "x" * posting.ANSWER_BYTES)
        assert [path for path, _, _ in receiver.posts] == ["/hook?from=squarefield"]

    def test_fails_if_the_answer_is_not_http(self, receiver):
        for said in (b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 two hundred\r\n\r\n"):
            with (listening(lambda peer, said=said: peer.sendall(said)) as port,
                  pytest.raises(DeliveryFailed, match="No answer: ")):
                post(f"http://127.0.0.1:{port}/")

    def test_times_out_when_the_receiver_answers_slowly(self, receiver, time_is_up):
        for opening in (b"", b"HTTP/1.1 200 OK\r\n"):
            time_is_up.clear()

            def begin(peer, opening=opening):
                peer.sendall(opening)
                time_is_up.set()
                heard_by(peer)

            with listening(begin) as port, pytest.raises(DeliveryFailed, match=r"No answer within 600 s\."):
                post(f"http://127.0.0.1:{port}/")

    def test_is_accepted_by_its_status_when_the_body_does_not_end(self, receiver, time_is_up, monkeypatch):
        reads, real = [], http.client.HTTPResponse.read1

        def read1(response, size):
            reads.append(size)
            if len(reads) == 2:
                time_is_up.set()
            return real(response, size)

        def hang(peer):
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nthanks")
            heard_by(peer)

        monkeypatch.setattr(http.client.HTTPResponse, "read1", read1)
        with listening(hang) as port:
            assert post(f"http://127.0.0.1:{port}/") == posting.Answer(200, "thanks")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """A self-signed certificate for hook.test and its key, in one file."""
    path = tmp_path_factory.mktemp("tls") / "hook.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", "/CN=hook.test", "-addext", "subjectAltName=DNS:hook.test",
                    "-keyout", str(path), "-out", f"{path}.crt"], check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


class TestAPostOverTls:
    @pytest.fixture(autouse=True)
    def _names(self, settings, monkeypatch):
        settings.WEBHOOK_PRIVATE = True
        real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", lambda host, *args, **kwargs: real(
            "127.0.0.1" if host.endswith(".test") else host, *args, **kwargs))

    def test_verifies_the_certificate_and_its_name_and_not_the_address(self, certificate, monkeypatch):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        heard = []

        def answer(peer):
            with context.wrap_socket(peer, server_side=True) as stream:
                heard.append(heard_by(stream))
                stream.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

        def send(name):
            with listening(answer, reads=False) as port:
                return post(f"https://{name}:{port}/")

        with pytest.raises(DeliveryFailed, match="CERTIFICATE_VERIFY_FAILED"):
            send("hook.test")
        assert heard == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert send("hook.test").status == 204
        with pytest.raises(DeliveryFailed, match="CERTIFICATE_VERIFY_FAILED"):
            send("other.test")

    def test_times_out_when_the_receiver_does_not_complete_the_handshake(self, time_is_up):
        def silent(peer):
            time_is_up.set()
            heard_by(peer)

        with listening(silent, reads=False) as port, pytest.raises(DeliveryFailed, match="No answer within"):
            post(f"https://hook.test:{port}/")


@pytest.fixture
def time_is_up(monkeypatch):
    """The event that ends an exchange, instead of the clock."""
    over = threading.Event()

    class Timer(threading.Thread):
        def __init__(self, seconds, act, arguments):
            super().__init__(target=lambda: over.wait() and act(*arguments))

        def cancel(self):
            over.set()
            self.join()

    monkeypatch.setattr(posting, "threading", SimpleNamespace(Event=threading.Event, Timer=Timer))
    return over


def heard_by(peer) -> bytes:
    """Read a whole request, up to the end of its body, or until the caller hangs up."""
    heard = b""
    while not heard.endswith(b"{}") and (more := peer.recv(65536)):
        heard += more
    return heard


@contextmanager
def listening(talk, *, reads=True):
    """Open a port that accepts one caller, reads its request (if `reads`) and then calls `talk`."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            peer, _ = server.accept()
            with peer:
                try:
                    peer.settimeout(60)
                    if reads:
                        heard_by(peer)
                    talk(peer)
                except OSError:
                    # The caller has closed the connection, as it should.
                    return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        thread.join()
