"""No body or Content-Type causes an unhandled error: the site refuses unreadable requests with a reason."""

import io
from collections import Counter
from random import Random

import pytest
from django.test import Client

from tests.effort import ALL
from tests.factories import make_user
from tests.fuzz.bodies import FORM, JSON, MULTIPART, PARAMETERS, Sent, asked, multipart, sent
from tests.tournaments.api import contract
from tournaments.wsgi import application

EXECUTIONS = 400 if ALL else 80
PAGE, API = "/account/login/", "/api/submissions/"


@pytest.fixture
def clients(db, settings, tmp_path) -> list[Client]:
    """Return the client of a user with all permissions, and the browser of a visitor."""
    settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"],
                                                          "OPTIONS": {"location": str(tmp_path)}}}
    staff = Client()
    staff.force_login(make_user("staff", staff=True))
    return [staff, Client(enforce_csrf_checks=True)]


def checked_status(client: Client, request: Sent) -> int:
    """Return the response's status, and check that the API explains refusals. Raises any unhandled error."""
    answer = asked(client, request)
    assert answer.status_code < 500
    if request.path.startswith("/api/") and answer.status_code >= 400:
        contract.problem(answer)
    return answer.status_code


class TestABody:
    @pytest.mark.slow
    @pytest.mark.database
    def test_of_any_kind_is_accepted_or_refused(self, clients):
        dice = Random(20261122)
        became = Counter(checked_status(dice.choice(clients), sent(dice)) for _ in range(EXECUTIONS))
        assert {200, 400, 403, 415} <= set(became)

    def test_that_is_valid_is_accepted(self, clients):
        assert checked_status(clients[0], Sent("/api/teams/", f"{JSON}; charset=UTF-8", b'{"name": "Ants"}')) == 201
        assert checked_status(clients[0], Sent(PAGE, FORM, b"login=a&password=b")) in {200, 302}

    def test_in_another_character_set_is_refused_with_415(self, clients):
        body = multipart(Random(1))
        for charset in ("nothing", "hex", "rot13", "base64", "zlib", "idna", "undefined", "latin-1"):
            for path in (PAGE, API):
                assert checked_status(clients[0], Sent(path, f"{MULTIPART}; charset={charset}", body)) == 415, charset

    def test_without_a_valid_boundary_is_refused(self, clients):
        for boundary in ("", "; boundary=", "; boundary=" + "y" * 300, "; boundary=\u00e9"):
            for path in (PAGE, API):
                sent_as = Sent(path, f"multipart/form-data{boundary}", b"--xx--\r\n")
                assert checked_status(clients[0], sent_as) in {400, 415}, boundary

    def test_with_very_many_fields_is_refused_with_400(self, clients):
        fields = b"&".join(b"a%d=1" % number for number in range(1500))
        assert checked_status(clients[0], Sent(PAGE, FORM, fields)) == 400
        files = b'--xx\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n1\r\n' * 150
        for path in (PAGE, API):
            assert checked_status(clients[0], Sent(path, MULTIPART, files + b"--xx--\r\n")) == 400

    def test_nested_deeply_is_refused_with_400(self, clients):
        for opening in (b"[", b'{"name":'):
            answer = asked(clients[0], Sent("/api/teams/", JSON, opening * 50_000))
            assert contract.problem(answer) == (400, "JSON parse error - the value is nested too deeply")

    def test_that_is_refused_gets_a_readable_page(self, clients):
        page = asked(clients[0], Sent(PAGE, f"{FORM}; charset=hex", b"a=b"))
        assert "Text must be encoded in UTF-8" in page.content.decode()
        page = asked(clients[0], Sent(PAGE, "multipart/form-data", b"a=b"))
        assert "We could not read this request" in page.content.decode()


class TestTheApplication:
    def test_responds_to_any_content_type(self, db):
        """Call the application as the server does, bypassing Django's test client."""
        failures = []
        for parameter in PARAMETERS:
            said = []
            answer = application({
                "REQUEST_METHOD": "POST", "PATH_INFO": "/api/teams/", "QUERY_STRING": "", "SERVER_NAME": "testserver",
                "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1",
                "HTTP_HOST": "testserver", "CONTENT_TYPE": f"{JSON}; {parameter}", "CONTENT_LENGTH": "2",
                "wsgi.input": io.BytesIO(b"{}"), "wsgi.url_scheme": "http",
            }, lambda status, headers, said=said: said.append(status))
            if not b"".join(answer) or said[0].partition(" ")[0] not in {"401", "415"}:
                failures.append((parameter, said))
        assert failures == []
