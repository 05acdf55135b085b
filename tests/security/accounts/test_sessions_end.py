"""Sessions end when idle, at the latest after two weeks; and the cost of recording their use."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import make_user
from tournaments import settings as site_settings
from tournaments.web.accounts.session_engine import NOTE_SECONDS

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def signed_in() -> Callable[..., Client]:
    def signed_in(name: str, **facts: Any) -> Client:
        client = Client()
        client.force_login(make_user(name, **facts))
        return client
    return signed_in


def passes(while_idle: timedelta) -> None:
    """Let all sessions be idle for this much longer."""
    Session.objects.update(expire_date=F("expire_date") - while_idle)


def is_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


def writes(queries: CaptureQueriesContext) -> list[str]:
    return [query["sql"] for query in queries if "django_session" in query["sql"]
            and not query["sql"].startswith("SELECT")]


class TestASession:
    def test_ends_after_three_idle_days(self, signed_in: Any) -> None:
        mia, otto = signed_in("mia"), signed_in("otto")
        passes(71 * HOUR)
        assert is_in(mia)
        passes(2 * HOUR)
        assert (is_in(mia), is_in(otto)) == (True, False)

    def test_of_staff_ends_after_twelve_idle_hours(self, signed_in: Any) -> None:
        organiser, late = signed_in("organiser", staff=True), signed_in("looker", staff=True)
        passes(11 * HOUR)
        assert is_in(organiser)
        passes(2 * HOUR)
        assert (is_in(organiser), is_in(late)) == (True, False)
        assert late.get("/admin/").status_code == 302
        assert late.get("/api/me/").status_code == 401
        # The session ends on the server too, not only in the browser.
        assert Session.objects.count() == 1

    def test_ends_two_weeks_after_sign_in_even_if_used(self, signed_in: Any) -> None:
        mia = signed_in("mia")
        session = mia.session
        session["signed_in_at"] = time.time() - 14 * 86_400 + 3600
        session.save()
        assert is_in(mia)
        session["signed_in_at"] -= 7200
        session.save()
        assert not is_in(mia)

    def test_from_an_older_release_is_limited_from_its_next_page(self, signed_in: Any) -> None:
        mia = signed_in("mia")
        session = mia.session
        del session["signed_in_at"]
        session.save()
        passes(-11 * 24 * HOUR)
        before = time.time()
        assert is_in(mia)
        assert mia.session["signed_in_at"] >= before
        passes(73 * HOUR)
        assert not is_in(mia)

    def test_uses_the_configured_limits(self, signed_in: Any, settings: Any) -> None:
        settings.IDLE_SECONDS = 3600.0
        mia = signed_in("mia")
        passes(HOUR)
        assert not is_in(mia)

    def test_reads_its_limits_from_the_environment(self) -> None:
        assert (site_settings.IDLE_SECONDS, site_settings.IDLE_STAFF_SECONDS) == (3 * 86_400, 12 * 3600)
        assert site_settings.SESSION_COOKIE_AGE == 14 * 86_400


class TestTheTimeOfLastUse:
    def test_is_not_written_for_every_page(self, signed_in: Any) -> None:
        mia = signed_in("mia")
        assert is_in(mia)
        with CaptureQueriesContext(connection) as queries:
            for _ in range(3):
                assert is_in(mia)
        assert writes(queries) == []

    def test_is_written_alone_every_few_minutes(self, signed_in: Any) -> None:
        mia = signed_in("mia")
        assert is_in(mia)
        passes(timedelta(seconds=NOTE_SECONDS + 10))
        with CaptureQueriesContext(connection) as queries:
            for _ in range(3):
                assert is_in(mia)
        [write] = writes(queries)
        assert "expire_date" in write
        assert "session_data" not in write

    def test_is_written_more_often_if_the_limit_is_short(self, signed_in: Any, settings: Any) -> None:
        settings.IDLE_SECONDS = 300.0
        mia = signed_in("mia")
        for _ in range(3):
            passes(timedelta(seconds=240))
            assert is_in(mia)

    def test_costs_signed_out_visitors_nothing(self) -> None:
        client = Client()
        with CaptureQueriesContext(connection) as queries:
            for page in ("home", "ladders", "events", "account_login"):
                assert client.get(reverse(page)).status_code == 200
        assert not [query for query in queries if "django_session" in query["sql"]]
        assert site_settings.SESSION_COOKIE_NAME not in client.cookies
