"""The processor time of each test, for `selftest`: of this process, and of children that it waited for."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any

import pytest


class CostBook:
    """pytest plugin that appends a line per test to a file: name, seconds, and whether it is marked `slow`.

    Fixtures of a module or session are not counted, because no single test must pay for them.
    """

    def __init__(self, file: Path) -> None:
        self._file, self._shared, self._inside = file, 0.0, False

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Add up the time of fixtures that several tests share."""
        if fixturedef.scope == "function" or self._inside:
            return (yield)
        before, self._inside = _seconds(), True
        try:
            return (yield)
        finally:
            self._inside = False
            self._shared += _seconds() - before

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Append the line of a test."""
        self._shared, before = 0.0, _seconds()
        result = yield
        # xdist adds the group to a test's name.
        line = {"name": re.sub(r"@[\w ]+$", "", item.nodeid), "slow": item.get_closest_marker("slow") is not None,
                "seconds": round(_seconds() - before - self._shared, 3)}
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(line) + "\n")
        return result


def _seconds() -> float:
    return sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
