"""The servers shared by all fault tests, and the table at the end of the run."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.report import Line, table

LINES = pytest.StashKey[list[Line]]()
# Number of bots in the round-robin; 24 bots play 552 games.
BOTS = int(os.environ.get("SQUAREFIELD_FAULTS_BOTS", "24"))
# Seed for the times and the targets of the faults.
SEED = int(os.environ.get("SQUAREFIELD_FAULTS_SEED", "1"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table."""
    lines = config.stash.get(LINES, [])
    if lines:
        terminalreporter.section("faults")
        terminalreporter.write_line(table(lines))


@pytest.fixture
def note(pytestconfig: pytest.Config) -> Callable[[Line], None]:
    """Return a function that adds a line to the table and to the file named by SQUAREFIELD_FAULTS_TABLE."""
    lines = pytestconfig.stash.setdefault(LINES, [])

    def add(line: Line) -> None:
        lines.append(line)
        if place := os.environ.get("SQUAREFIELD_FAULTS_TABLE"):
            broken = [f"{each.fault}: {what}" for each in lines for what in each.broken]
            Path(place).write_text("\n".join([table(lines), *broken, ""]), encoding="utf-8")

    return add


@pytest.fixture(scope="session")
def backend(django_db_blocker: object) -> Iterator[object]:
    from tests.faults.backend import Backend

    made = Backend()
    try:
        with django_db_blocker.unblock():
            made.start(BOTS)
            yield made
    finally:
        made.close()
