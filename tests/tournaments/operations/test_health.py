"""What probes are told: of the process, of the database, of migrations, of Redis."""

import pytest
from django.db import OperationalError, connection
from django.test import Client

from tournaments.operations import health


@pytest.fixture
def prober(monkeypatch):
    """Asks as a container engine does, by an address that is none of the site's names and without TLS."""
    health._migrations_to_apply.cache_clear()
    yield Client(headers={"host": "10.0.0.7:8000"})
    health._migrations_to_apply.cache_clear()


class TestLive:
    def test_asks_no_database(self, prober, settings):
        settings.SECURE_SSL_REDIRECT = True
        answer = prober.get("/health/live")
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
        assert answer["Cache-Control"] == "no-store"


@pytest.mark.django_db
@pytest.mark.serial
class TestReady:
    def test_says_that_pages_can_be_served(self, prober, redis_url):
        answer = prober.get("/health/ready")
        assert (answer.status_code, answer.json()) == (
            200, {"status": "ready", "missing": [], "redis": "reachable"})

    def test_serves_without_redis_and_says_so(self, prober, settings, tmp_path):
        settings.REDIS_URL = f"redis+socket://{tmp_path}/no.sock"
        answer = prober.get("/health/ready")
        assert (answer.status_code, answer.json()["redis"]) == (200, "unreachable: matches wait")

    def test_names_the_database_when_that_is_away_but_not_where_it_is(self, prober, redis_url, monkeypatch):
        def refuse() -> None:
            raise OperationalError("connection to host db.internal refused")

        monkeypatch.setattr(connection, "ensure_connection", refuse)
        monkeypatch.setattr(connection, "close", lambda: None)
        answer = prober.get("/health/ready")
        assert answer.status_code == 503
        assert answer.json()["missing"] == ["the database cannot be reached (OperationalError)"]

    def test_names_migrations_that_are_missing(self, prober, redis_url, settings, tmp_path, monkeypatch):
        ahead = tmp_path / "migrations_ahead"
        ahead.mkdir()
        (ahead / "__init__.py").touch()
        (ahead / "9999_ahead.py").write_text(
            "from django.db import migrations\nclass Migration(migrations.Migration):\n    pass\n")
        monkeypatch.syspath_prepend(tmp_path)
        settings.MIGRATION_MODULES = {"frontend": "migrations_ahead"}
        answer = prober.get("/health/ready")
        assert answer.status_code == 503
        assert "have not been applied: run `manage.py migrate`" in answer.json()["missing"][0]
