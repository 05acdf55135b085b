"""The client of a site's API against sites that answer slowly, over plain and encrypted connections."""

import socket
import threading
import time
from contextlib import suppress

import pytest

from tournaments.kit import site
from tournaments.kit.site import Site, Unreachable

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.fixture
def dripping():
    """Return a function that starts a site which sends this text at once, and then a byte every few milliseconds."""
    listeners = []

    def serve(listener, text):
        with suppress(OSError):
            connection, _ = listener.accept()
            with connection:
                connection.sendall(text)
                while True:
                    time.sleep(0.005)
                    connection.sendall(b"x")

    def start(text):
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        threading.Thread(target=serve, args=(listener, text), daemon=True).start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for listener in listeners:
        listener.close()


class TestASite:
    @pytest.mark.parametrize(("scheme", "text"), [
        ("http", b""), ("http", HEAD + b"X-Slow: "), ("http", HEAD + b"\r\n"),
        ("http", HEAD + b"Content-Length: 99999\r\n\r\n"),
        ("http", b"HTTP/1.1 503 Busy\r\n\r\n"), ("https", b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc")])
    def test_that_drips_bytes_is_left_after_the_limit(self, dripping, monkeypatch, scheme, text):
        monkeypatch.setattr(site, "_SECONDS", 0.1)
        address = f"{scheme}://{dripping(text)}"
        with pytest.raises(Unreachable) as left:
            Site(address).get("/api/bots/")
        assert str(left.value) == f"{address}/api/bots/ did not answer within 0 s"

    def test_gives_an_upload_time_for_its_bytes(self, dripping, monkeypatch):
        monkeypatch.setattr(site, "_SECONDS", 0.1)
        monkeypatch.setattr(site, "_SLOWEST", 1000)
        with pytest.raises(Unreachable, match=r"did not answer within [12] s"):
            Site(f"http://{dripping(HEAD)}").submit("bot.zip", bytes(900))
