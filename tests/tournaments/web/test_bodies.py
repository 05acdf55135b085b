"""Request bodies: read completely before anything else, within limits, and without leftovers."""

import io
import itertools
import json
import socket
import tempfile
import urllib.request
import zipfile
from contextlib import ExitStack, closing
from http.client import HTTPConnection

import pytest
from django.test import Client
from django.utils import timezone

from tests.archives import manifest, upload
from tests.factories import make_user
from tests.tournaments.api import contract
from tests.tournaments.web.server import start_web
from tests.waiting import wait_for
from tournaments.models import Submission, Team
from tournaments.services.accounts.tokens import make_token
from tournaments.services.accounts.visitors import network_of
from tournaments.web.bodies import BODIES_OF_A_NETWORK, INTAKE
from tournaments.web.connection_pool import BODIES

FORM = "application/x-www-form-urlencoded"


def large_archive(size: int) -> bytes:
    """Return a bot's archive slightly larger than the given number of bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("bot.toml", manifest())
        archive.writestr("main.py", "print('ready')\n")
        archive.writestr("weights.bin", bytes(size))
    return packed.getvalue()


@pytest.fixture
def author_client(client: Client) -> Client:
    client.force_login(make_user("author"))
    return client


@pytest.mark.django_db
class TestABody:
    def test_arrives_as_it_was_sent(self, author_client):
        for size in (10, 300_000, 2**21):
            packed = large_archive(size)
            answer = author_client.post("/api/submissions/", {"archive": upload(packed)})
            assert answer.status_code == 202
            with Submission.objects.get(pk=answer.json()["id"]).archive.open() as stored:
                assert stored.read() == packed

    def test_leaves_no_file_after_the_answer(self, author_client, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        author_client.post("/api/teams/", json.dumps({"name": "x" * 900_000}), content_type="application/json")
        assert not list(tmp_path.iterdir())

    def test_is_not_read_unless_needed(self, client):
        class Unread(io.BytesIO):
            def read(self, *_):
                raise AssertionError("the body was read")

        answer = client.generic("GET", "/api/bots/", CONTENT_LENGTH="5", **{"wsgi.input": Unread()})
        assert answer.status_code == 200

    def test_without_a_length_is_empty(self, author_client):
        for length in ("", "0", "x"):
            answer = author_client.post("/api/teams/", content_type="application/json", CONTENT_LENGTH=length)
            assert contract.problem(answer)[0] == 400


@pytest.mark.django_db
class TestRefusals:
    def test_have_a_page_for_people_and_a_problem_for_programs(self, client, settings):
        settings.MAX_BODY_BYTES = 1000
        for size in (1001, 4001):
            page = client.post("/accounts/login/", "x" * size, content_type=FORM)
            assert (page.status_code, page["Content-Type"]) == (413, "text/html; charset=utf-8")
            assert "Your request is too large" in page.content.decode()
            assert "default-src 'none'" in page["Content-Security-Policy"]
            answer = client.post("/api/teams/", "x" * size, content_type="application/json")
            assert contract.problem(answer) == (413, "The request is too large.")

    def test_read_slightly_oversized_bodies_so_that_browsers_get_the_answer(self, client, settings):
        settings.MAX_BODY_BYTES = 1000
        for size, left in ((4000, 0), (4001, 4001)):
            body = io.BytesIO(b"x" * size)
            answer = client.generic("POST", "/api/teams/", CONTENT_LENGTH=str(size), **{"wsgi.input": body})
            assert answer.status_code == 413
            assert len(body.read()) == left

    def test_apply_to_chunked_bodies(self, client):
        chunks = {"Transfer-Encoding": "chunked"}
        assert contract.problem(client.post("/api/teams/", headers=chunks))[0] == 411
        assert "does not state its length" in client.post("/accounts/login/", headers=chunks).content.decode()

    def test_apply_to_truncated_bodies(self, author_client):
        whole = json.dumps({"name": "Ants"}).encode()
        for path, code in (("/api/teams/", "problem+json"), ("/accounts/teams/", "html")):
            answer = author_client.generic("POST", path, content_type="application/json",
                                           CONTENT_LENGTH=str(len(whole) + 1), **{"wsgi.input": io.BytesIO(whole)})
            assert answer.status_code == 400
            assert code in answer["Content-Type"]
        assert not Team.objects.exists()

    def test_apply_to_slow_bodies(self, client, settings):
        settings.BODY_SECONDS = -1000
        for path in ("/api/teams/", "/accounts/login/"):
            assert client.post(path, "x" * 500_000, content_type=FORM).status_code == 408
        assert not INTAKE._of

    def test_are_temporary_if_the_disk_is_unavailable(self, client, monkeypatch, tmp_path):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
        answer = client.post("/api/teams/", "x" * 500_000, content_type=FORM)
        assert contract.problem(answer)[0] == 503

    def test_apply_only_to_a_network_with_too_many_bodies(self, client):
        with ExitStack() as many:
            for number in range(BODIES_OF_A_NETWORK):
                many.enter_context(INTAKE.one(network_of(f"2001:db8::{number}")))
            for address, status in (("2001:db8::ffff", 503), ("2001:db8:0:1::", 401), ("192.0.2.1", 401)):
                answer = client.post("/api/teams/", "{}", content_type="application/json", REMOTE_ADDR=address)
                assert contract.problem(answer)[0] == status
                assert ("Retry-After" in answer) == (status == 503)
            assert client.get("/api/teams/", REMOTE_ADDR="2001:db8::ffff").status_code == 200
        assert not INTAKE._of

    def test_apply_to_everyone_when_there_are_too_many_bodies(self, client):
        with ExitStack() as many:
            for number in range(BODIES):
                many.enter_context(INTAKE.one(network_of(f"192.0.2.{number}")))
            answer = client.post("/accounts/login/", "a=b", content_type=FORM)
            assert answer.status_code == 503
            assert 3 <= int(answer["Retry-After"]) <= 12
        assert client.post("/accounts/login/", "a=b", content_type=FORM).status_code != 503


def stalled(address: str) -> HTTPConnection:
    """Send the headers of a form and the start of its body."""
    connection = HTTPConnection(address)
    connection.putrequest("POST", "/accounts/login/")
    connection.putheader("Content-Type", FORM)
    connection.putheader("Content-Length", "5000")
    connection.endheaders(b"login=")
    return connection


def refused(connection: HTTPConnection) -> bool:
    connection.sock.setblocking(False)
    try:
        return connection.sock.recv(20, socket.MSG_PEEK).startswith(b"HTTP/1.1 503")
    except BlockingIOError:
        return False


def found_team(address: str, name: str, *, source: str) -> int:
    """Create a team over a connection from that address and return the status; 0 if there was no answer."""
    token = make_token(user=make_user(name), name=name, now=timezone.now())[1]
    with closing(HTTPConnection(address, source_address=(source, 0))) as connection:
        try:
            connection.request("POST", "/api/teams/", json.dumps({"name": name}),
                               {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
            return connection.getresponse().status
        except OSError:
            return 0


@pytest.mark.serial
@pytest.mark.slow
class TestStalledConnections:
    def test_do_not_prevent_others_from_reading_or_writing(self, site):
        address = start_web(site).removeprefix("http://")
        with ExitStack() as many:
            stopped = [many.enter_context(closing(stalled(address))) for _ in range(BODIES_OF_A_NETWORK + 1)]
            wait_for(lambda: any(refused(each) for each in stopped), "the refusal of one body too many")
            for number in range(3):
                assert found_team(address, f"team {number}", source="127.0.0.2") == 201
                with urllib.request.urlopen(f"http://{address}/bots/") as page:
                    assert page.status == 200
        # The connections are closed, and their places are free again.
        names = itertools.count()
        wait_for(lambda: found_team(address, f"after {next(names)}", source="127.0.0.1") == 201,
                 "places for new bodies")
