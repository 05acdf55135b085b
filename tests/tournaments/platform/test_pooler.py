"""The service through a real PgBouncer that gives each transaction one of two connections."""

import os
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection

from tests.pooler import PgBouncer
from tests.ports import reserve_port, serves
from tests.tournaments.site import Site, finished
from tournaments.models import Game
from tournaments.platform.database import SESSION, TRANSACTION, connecting_by, name_of
from tournaments.setup.bootstrap.children import Child

CONNECTIONS = 2
ROLE = "behind_the_pooler"
# Everything that a session can keep between transactions.
LEFT_BEHIND = """
    SELECT 'statement ' || name FROM pg_prepared_statements UNION ALL
    SELECT 'cursor ' || name FROM pg_cursors WHERE name <> '' UNION ALL
    SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() UNION ALL
    SELECT 'setting ' || name FROM pg_settings WHERE source = 'session'
        AND name NOT IN ('application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings')
"""


@pytest.fixture
def pooler(transactional_db: None) -> Iterator[PgBouncer]:
    database = connection.settings_dict
    with PgBouncer(database["HOST"], database["USER"], ROLE, size=CONNECTIONS) as made:
        yield made
    # PgBouncer's connections end a moment after it.
    connection.close()


@pytest.fixture
def pooled_site(site: Site, pooler: PgBouncer) -> Iterator[Site]:
    url = site.environment["DATABASE_URL"].replace(pooler.server, str(pooler.sockets))
    site.environment |= {"DATABASE_URL": url, "SQUAREFIELD_DATABASE_POOLER": TRANSACTION}
    yield site
    # Before the pooler.
    site.stop()


def ask(pooler: PgBouncer, statement: str, *, database: str, user: str | None = None) -> list[dict[str, Any]]:
    """Return the rows that PgBouncer, or PostgreSQL through it, answers to a statement without parameters."""
    with psycopg.connect(host=str(pooler.sockets), user=user or pooler.users[0], dbname=database, autocommit=True,
                         row_factory=psycopg.rows.dict_row, cursor_factory=psycopg.ClientCursor) as client:
        return client.execute(statement).fetchall()


def left_behind(pooler: PgBouncer) -> list[Any]:
    """Return what the connections to the test's database keep, each of them occupied once."""
    name, found = connection.settings_dict["NAME"], []
    clients = [psycopg.connect(host=str(pooler.sockets), user=pooler.users[0], dbname=name,
                               prepare_threshold=None) for _ in range(CONNECTIONS)]
    processes = set()
    for client in clients:
        # Each client keeps its transaction open, and so its connection.
        found += client.execute(LEFT_BEHIND).fetchall()
        processes.add(client.execute("SELECT pg_backend_pid()").fetchone())
    for client in clients:
        client.close()
    assert len(processes) == CONNECTIONS
    return found


def page(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
        return str(answer.read().decode())


def kind_of(name: str) -> str:
    found = re.fullmatch(r"squarefield (\w+) \S+:\d+", name)
    return found[1] if found else name


def refusals(child: Child) -> list[str]:
    """Return the lines of a log about statements that PgBouncer or PostgreSQL refused."""
    return [line for line in Path(child.log).read_text().splitlines()
            if re.search("psycopg|prepared statement|unsupported startup|cursor .* does not exist", line)]


class TestAPooler:
    pytestmark = [pytest.mark.needs_servers, pytest.mark.serial, pytest.mark.slow, pytest.mark.thorough]

    @pytest.mark.workers
    def test_lets_a_site_play_rate_and_serve_pages_and_keeps_nothing_on_a_connection(
        self, pooled_site: Site, pooler: PgBouncer, schedule: Any
    ) -> None:
        event, seen = schedule(dict.fromkeys(("Alder", "Birch", "Cedar"))), set()
        port = reserve_port()
        children = [pooled_site.start("web", "--port", str(port), "--processes", "1"),
                    pooled_site.start("coordinator"), pooled_site.start("worker", "--concurrency", "2")]
        pooled_site.wait_for(lambda: serves(port))

        def over() -> bool:
            assert "Alder" in page(port, f"/events/{event.slug}/")
            seen.update(client["application_name"] for client in ask(pooler, "SHOW CLIENTS", database="pgbouncer"))
            servers = ask(pooler, "SHOW SERVERS", database="pgbouncer")
            assert len([each for each in servers if each["database"] == connection.settings_dict["NAME"]]) <= 2
            return finished(event)

        pooled_site.wait_for(over)
        games = Game.objects.filter(event=event)
        assert games.count() == 6
        pooled_site.wait_for(lambda: games.filter(rated__isnull=False).count() == 6)
        assert {kind_of(name) for name in seen} >= {"web", "coordinator", "worker"}
        assert left_behind(pooler) == []
        for child in children:
            assert refusals(child) == []

    def test_refuses_migrate(self, pooled_site: Site) -> None:
        child = pooled_site.start("migrate")
        assert child.process is not None
        assert child.process.wait(180) == 1
        assert "Run migrate with a DATABASE_URL that leads to PostgreSQL itself" in child.log_tail()

    def test_gives_a_role_the_settings_that_it_refuses_from_clients(self, pooler: PgBouncer) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE ROLE {ROLE} LOGIN")
        try:
            call_command("grant_roles", worker=ROLE)
            shown = ask(pooler, f"SELECT name, setting FROM pg_settings WHERE name IN {tuple(SESSION)}",  # noqa: S608
                        database=connection.settings_dict["NAME"], user=ROLE)
        finally:
            pooler.stop()
            with connection.cursor() as cursor:
                cursor.execute(f"DROP OWNED BY {ROLE}")
                cursor.execute(f"DROP ROLE {ROLE}")
        # A Unix socket has no keepalives, and PostgreSQL shows 0.
        assert {row["name"]: row["setting"] for row in shown if not row["name"].startswith("tcp")} == {
            name: value for name, value in SESSION.items() if not name.startswith("tcp")}


def test_connecting_keeps_the_options_of_the_address_and_refuses_an_unknown_pooler() -> None:
    assert connecting_by(TRANSACTION, {"sslmode": "require"})["OPTIONS"]["sslmode"] == "require"
    with pytest.raises(ImproperlyConfigured, match="Set it to 'transaction', or leave it out"):
        connecting_by("session", {})


def test_a_name_says_kind_host_and_process_in_the_63_bytes_that_postgresql_keeps(monkeypatch: Any) -> None:
    assert name_of(["./manage.py", "worker"]).startswith("squarefield worker ")
    monkeypatch.setattr("socket.gethostname", lambda: "h" * 200)
    name = name_of(["manage.py", "coordinator"])
    assert (len(name.encode()), name.endswith(f":{os.getpid()}")) == (63, True)
