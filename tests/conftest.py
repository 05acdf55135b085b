"""Configuration of all tests: reproducible Hypothesis, groups for xdist, a Redis, and the record of skipped tests."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

# The same examples everywhere, and no deadline, because a shared machine may be slow.
hypothesis_settings.register_profile("reproducible", derandomize=True, deadline=None)
hypothesis_settings.load_profile("reproducible")

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure(config: pytest.Config) -> None:
    """Declare the group that keeps serial tests in one process."""
    config.addinivalue_line("markers", "xdist_group(name): tests of a group run in one process (pytest-xdist)")
    # A shell starts background processes with Ctrl-C ignored, and their children inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep serial tests in one process under `--dist loadgroup`."""
    for item in items:
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
def redis_url() -> Iterator[str]:
    """Yield the URL of this test process's own Redis, initially empty; settings.REDIS_URL has it too."""
    import kombu
    from django.conf import settings

    from tournaments.setup.embedded import EmbeddedRedis

    if settings.GIVEN_REDIS:
        with kombu.Connection(settings.REDIS_URL) as connection:
            connection.default_channel.client.flushdb()
        yield settings.REDIS_URL
        return
    with EmbeddedRedis(sockets=Path(os.environ["SQUAREFIELD_VAR"]), directory=Path(os.environ["SQUAREFIELD_VAR"])):
        yield settings.REDIS_URL


@pytest.fixture
def site_environment(transactional_db: None, redis_url: str) -> dict[str, str]:
    """Return the environment for `[sys.executable, "manage.py", …]` processes on this test's database and Redis.

    The database is emptied after the test, so rows are committed and other processes see them.
    """
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tournaments.settings",
        "DATABASE_URL": _database_url(),
        "REDIS_URL": redis_url,
        "SQUAREFIELD_NO_BOOTSTRAP": "1",
        # The tests' bots are their own, so they also run on a machine without cgroups.
        "SQUAREFIELD_ALLOW_REDUCED": "1",
        "PYTHONPATH": str(ROOT),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }


def _database_url() -> str:
    """Return the URL of the test database that Django is connected to."""
    from django.db import connection

    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    account = ":".join(filter(None, [database["USER"], database["PASSWORD"]]))
    if database["HOST"].startswith("/"):
        return f"postgres://{account}@/{database['HOST']}/{database['NAME']}"
    host = ":".join(filter(None, [database["HOST"], str(database["PORT"])]))
    return f"postgres://{account}@{host}/{database['NAME']}"
