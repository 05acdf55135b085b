"""A small local S3-compatible store that can be made to hang."""

import io
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tournaments.platform.storage import storage_for


@pytest.fixture
def s3_storage(s3_server, monkeypatch, settings):
    """The store, set as the service's storage for archives."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    url = f"s3://bots/site?endpoint_url={s3_server.url}&region_name=eu-1&addressing_style=path"
    settings.STORAGES = {**settings.STORAGES, "default": storage_for(url, directory="")}
    return s3_server


@pytest.fixture
def s3_server():
    """A server for the four S3 requests that storing and fetching need: HEAD, GET, PUT and DELETE of an object.

    A PUT of an object in `stuck` gets no answer until `go_on` is set; `waited` lists the addresses of these requests.
    """
    objects: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, status: int, body: bytes = b"") -> None:
            self.server.authorizations.append(self.headers["Authorization"])
            self.server.headers.append({name.lower() for name in self.headers})
            self.send_response(status)
            self.send_header("ETag", '"0"')
            self.send_header("Last-Modified", "Fri, 20 Nov 2026 12:00:00 GMT")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_GET(self) -> None:
            found = objects.get(self.path.split("?")[0])
            self.answer(404 if found is None else 200, found or b"")

        do_HEAD = do_GET  # noqa: N815 - as http.server names it

        def do_PUT(self) -> None:
            if self.path.rpartition("/")[2] in self.server.stuck:
                self.server.waited.append(self.path)
                assert self.server.go_on.wait(60)
            body = self.rfile.read(int(self.headers["Content-Length"])) if "chunked" not in self.headers.get(
                "Transfer-Encoding", "") else b"".join(self.chunks())
            if "aws-chunked" in self.headers.get("Content-Encoding", ""):
                body = b"".join(chunks_of(io.BytesIO(body)))
            objects[self.path.split("?")[0]] = body
            self.answer(200)

        def chunks(self):
            return chunks_of(self.rfile)

        def do_DELETE(self) -> None:
            objects.pop(self.path.split("?")[0], None)
            self.answer(204)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.objects, server.authorizations, server.headers = objects, [], []
        server.stuck, server.waited, server.go_on = set(), [], threading.Event()
        server.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.go_on.set()
            server.shutdown()
            thread.join()


def chunks_of(stream):
    """Yield the parts of a chunked body without the trailer that S3 clients add."""
    while size := int(stream.readline().split(b";")[0], 16):
        yield stream.read(size)
        stream.readline()
    while stream.readline().strip():
        pass
