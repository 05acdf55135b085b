"""The ground that all events stand on, and the table at the end."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.report import Line, table

LINES = pytest.StashKey[list[Line]]()
# How many meet, each of them all others in two games: 552 games.
BOTS = int(os.environ.get("SQUAREFIELD_FAULTS_BOTS", "24"))
# Decides when the faults strike, and whom.
SEED = int(os.environ.get("SQUAREFIELD_FAULTS_SEED", "1"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show the table."""
    lines = config.stash.get(LINES, [])
    if lines:
        terminalreporter.section("faults")
        terminalreporter.write_line(table(lines))


@pytest.fixture
def note(pytestconfig: pytest.Config) -> Callable[[Line], None]:
    """Put a line into the table, and into the file that SQUAREFIELD_FAULTS_TABLE names, for who cannot wait."""
    lines = pytestconfig.stash.setdefault(LINES, [])

    def add(line: Line) -> None:
        lines.append(line)
        if place := os.environ.get("SQUAREFIELD_FAULTS_TABLE"):
            broken = [f"{each.fault}: {what}" for each in lines for what in each.broken]
            Path(place).write_text("\n".join([table(lines), *broken, ""]), encoding="utf-8")

    return add


@pytest.fixture(scope="session")
def ground(django_db_blocker: object) -> Iterator[object]:
    from tests.faults.ground import Ground

    made = Ground()
    try:
        with django_db_blocker.unblock():
            made.start(BOTS)
            yield made
    finally:
        made.close()
