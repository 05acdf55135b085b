"""Configuration of all tests: reproducible Hypothesis, groups for xdist, a Redis, and the record of skipped tests."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies
from hypothesis import settings as hypothesis_settings

from tests.costs import CostBook
from tests.effort import examples

# The same examples everywhere, and no deadline, because a shared machine may be slow.
# A failure prints what reproduces it.
hypothesis_settings.register_profile("reproducible", derandomize=True, deadline=None, print_blob=True,
                                      max_examples=examples(100))
hypothesis_settings.load_profile("reproducible")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the group that keeps serial tests in one process, and write down costs if `selftest` asks for them."""
    if book := os.environ.get("SQUAREFIELD_COSTS"):
        # As an object: pytest calls the hooks of a folder's conftest.py only for fixtures below that folder.
        config.pluginmanager.register(CostBook(Path(book)))
    config.addinivalue_line("markers", "xdist_group(name): tests of a group run in one process (pytest-xdist)")
    # A shell starts background processes with Ctrl-C ignored, and their children inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Load the tables of Hypothesis, which would otherwise be a cost of its first test."""
    hypothesis_settings(max_examples=1, database=None)(given(strategies.text(), strategies.integers())(_nothing))()


def _nothing(text: str, number: int) -> None:
    """Take part in the loading of tables."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep serial tests in one process under `--dist loadgroup`; skip what the servers of this run cannot show."""
    for item in items:
        if item.get_closest_marker("needs_servers") and "DATABASE_URL" not in os.environ:
            item.add_marker(pytest.mark.skip(reason="needs PostgreSQL: selftest --only servers"))
        if item.get_closest_marker("serial"):
            item.add_marker(pytest.mark.xdist_group("serial"))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a case of bytes by its number: archives contain the time, and xdist requires the same names everywhere."""
    return argname if isinstance(val, bytes) else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Append every skipped test and its reason to the file that `selftest` names."""
    book = os.environ.get("SQUAREFIELD_SKIPS")
    if not book:
        return
    with Path(book).open("a", encoding="utf-8") as lines:
        for report in terminalreporter.stats.get("skipped", []):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            lines.write(json.dumps([report.nodeid, reason.removeprefix("Skipped: ")]) + "\n")


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> Iterator[None]:
    """Give this process a copy of the migrated database, instead of pytest-django's fixture, which migrates it."""
    from django.conf import settings
    from django.test import Client, TransactionTestCase

    from tests import databases

    name = settings.TEST_DATABASE
    with django_db_blocker.unblock():
        databases.make_database(name)
        # Loads every URL and the templates of a page, which would otherwise be a cost of the first test.
        Client().get("/")
    TransactionTestCase._fixture_teardown = lambda test: databases.empty_database()
    yield
    with django_db_blocker.unblock():
        databases.remove_database(name)


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Allow fixtures of a module to create rows, which exist until its last test; each test rolls back its own changes.

    For rows that tests only read, or change within their own savepoint. Tests that commit (`transaction=True`,
    `live_server`, `site_environment`) cannot be in the same module.
    """
    from django.db import connection, transaction

    with django_db_blocker.unblock():
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
        connection.close()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """Yield the URL of this test process's own Redis; settings.REDIS_URL has it too."""
    from django.conf import settings

    from tournaments.setup.embedded import EmbeddedRedis

    if settings.GIVEN_REDIS:
        yield settings.REDIS_URL
        return
    with EmbeddedRedis(sockets=Path(os.environ["SQUAREFIELD_VAR"]), directory=Path(os.environ["SQUAREFIELD_VAR"])):
        yield settings.REDIS_URL


@pytest.fixture
def redis_url(redis_server: str) -> str:
    """Return the URL of this test process's own Redis, which is empty: rows of other tests had the same numbers."""
    import kombu

    with kombu.Connection(redis_server) as connection:
        connection.default_channel.client.flushdb()
    return redis_server


@pytest.fixture
def site_environment(transactional_db: None, redis_url: str) -> dict[str, str]:
    """Return the environment for `[sys.executable, "manage.py", …]` processes on this test's database and Redis.

    The database is emptied after the test, so rows are committed and other processes see them.
    """
    from tests.tournaments.site import environment

    return environment(redis_url)
