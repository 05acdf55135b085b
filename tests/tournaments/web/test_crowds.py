"""Overload: requests that wait, requests that are refused, and recovery."""

import threading
import urllib.error
import urllib.request
from contextlib import ExitStack, closing
from email.message import Message
from http.client import HTTPConnection

import pytest
from django.db import OperationalError, connection, transaction

from tests.factories import make_event, make_version
from tests.tournaments.web.server import start_web
from tests.waiting import wait_for
from tournaments.web.connection_pool import CONNECTIONS

TAKES_A_PLACE = "/api/events/"


class Asker(threading.Thread):
    """Requests one page; `answer` is its status and headers."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.address = address
        self.answer: tuple[int, Message] | None = None

    def run(self) -> None:
        try:
            answer = urllib.request.urlopen(self.address)  # noqa: S310 - our own address
        except urllib.error.HTTPError as refusal:
            answer = refusal
        with answer:
            answer.read()
            self.answer = answer.status, answer.headers


@pytest.mark.django_db
class TestAnUnavailableDatabase:
    def test_asks_people_and_programs_to_come_back_later(self, client, monkeypatch):
        def refuse(*_: object) -> None:
            raise OperationalError("no connection to db.internal")

        monkeypatch.setattr(connection, "cursor", refuse)
        for address, kind, words in (
            ("/bots/", "text/html; charset=utf-8", "This page is temporarily unavailable"),
            ("/api/bots/", "application/problem+json", '"type": "/api/problems/unavailable/"'),
        ):
            answer = client.get(address)
            assert (answer.status_code, answer["Content-Type"]) == (503, kind)
            assert 3 <= int(answer["Retry-After"]) <= 12
            assert words in answer.content.decode()
            assert "internal" not in answer.content.decode()


@pytest.mark.serial
@pytest.mark.slow
@pytest.mark.thorough
class TestIdleConnections:
    def test_do_not_lock_out_others(self, site):
        address = start_web(site).removeprefix("http://")
        with ExitStack() as many:
            for _ in range(1500):
                resting = many.enter_context(closing(HTTPConnection(address)))
                resting.request("GET", "/health/live")
                answer = resting.getresponse()
                answer.read()
                assert answer.status == 200


@pytest.mark.serial
@pytest.mark.slow
@pytest.mark.needs_servers
class TestMoreRequestsThanConnections:
    def test_wait_for_a_while_before_being_asked_to_come_back(self, site, client):
        make_event([make_version(name) for name in ("ant", "bee")])
        address = start_web(site)
        with transaction.atomic(), connection.cursor() as cursor:
            # Each request for events holds a connection until the lock is released.
            cursor.execute("LOCK TABLE tournaments_event")
            holding = [Asker(address + TAKES_A_PLACE) for _ in range(CONNECTIONS + 20)]
            for asker in holding:
                asker.start()
            wait_for(lambda: any(asker.answer for asker in holding), "a refusal")
            refused = [asker.answer for asker in holding if asker.answer]
            assert {status for status, _ in refused} == {503}
            assert all(3 <= int(headers["Retry-After"]) <= 12 for _, headers in refused)
            assert refused[0][1]["Content-Type"] == "application/problem+json"
            # Pages that need no database are still served.
            probe = Asker(address + "/health/live")
            probe.run()
            assert probe.answer[0] == 200
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                           "AND pid <> pg_backend_pid() AND backend_type = 'client backend'")
            assert cursor.fetchone()[0] <= CONNECTIONS
        for asker in holding:
            asker.join()
        statuses = [asker.answer[0] for asker in holding]
        assert set(statuses) == {200, 503}
        assert statuses.count(200) >= CONNECTIONS
        again = Asker(address + TAKES_A_PLACE)
        again.run()
        assert again.answer[0] == 200
