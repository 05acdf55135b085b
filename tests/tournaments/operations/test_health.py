"""Health checks of the process, the database, migrations and Redis."""

import pytest
from django.db import OperationalError, connection
from django.test import Client

from tournaments.operations import health


@pytest.fixture
def prober(monkeypatch):
    """A client that asks like a container engine: by an address that is not one of the site's names, without TLS."""
    health._migrations_to_apply.cache_clear()
    yield Client(headers={"host": "10.0.0.7:8000"})
    health._migrations_to_apply.cache_clear()


class TestLive:
    def test_does_not_need_the_database(self, prober, settings):
        settings.SECURE_SSL_REDIRECT = True
        answer = prober.get("/health/live")
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
        assert answer["Cache-Control"] == "no-store"


@pytest.mark.django_db
class TestReady:
    def test_says_that_pages_can_be_served_also_without_redis(self, prober, redis_url, settings, tmp_path):
        answer = prober.get("/health/ready")
        assert (answer.status_code, answer.json()) == (
            200, {"status": "ready", "missing": [], "redis": "reachable"})
        settings.REDIS_URL = f"redis+socket://{tmp_path}/no.sock"
        answer = prober.get("/health/ready")
        assert (answer.status_code, answer.json()["redis"]) == (200, "unreachable: matches wait")

    def test_reports_an_unavailable_database_without_its_host(self, prober, redis_url, monkeypatch):
        def refuse() -> None:
            raise OperationalError("connection to host db.internal refused")

        monkeypatch.setattr(connection, "ensure_connection", refuse)
        monkeypatch.setattr(connection, "close", lambda: None)
        answer = prober.get("/health/ready")
        assert answer.status_code == 503
        assert answer.json()["missing"] == ["the database cannot be reached (OperationalError)"]

    def test_names_missing_migrations(self, prober, redis_url, settings, tmp_path, monkeypatch):
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
