"""A local receiver of webhooks, and an author with a webhook."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.factories import START, make_user
from tournaments.models import Webhook
from tournaments.services.notices import posting, webhooks


class Receiver(ThreadingHTTPServer):
    """A server that stores every POST and answers with the given status, headers and body."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/hook?from=squarefield"
        self.begin()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of senders that hang up, as they do after the start of a long answer."""

    def begin(self) -> None:
        """Forget the last test."""
        self.posts: list[tuple[str, dict[str, str], bytes]] = []
        self.status, self.headers, self.body = 204, {}, b""


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posts.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.server.body)

    do_GET = do_POST  # noqa: N815 - http.server's name

    def log_message(self, *arguments: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="session")
def server() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def receiver(server: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Receiver:
    settings.WEBHOOK_HTTP = settings.WEBHOOK_PRIVATE = True
    # However busy the machine is.
    monkeypatch.setattr(posting, "CONNECT_SECONDS", 600.0)
    monkeypatch.setattr(posting, "EXCHANGE_SECONDS", 600.0)
    server.begin()
    return server


@pytest.fixture
def mia(db: None) -> User:
    return make_user("mia")


@pytest.fixture
def webhook(mia: User, receiver: Receiver) -> Webhook:
    return webhooks.create_webhook(owner=mia, url=receiver.url, kinds=[], now=START)
