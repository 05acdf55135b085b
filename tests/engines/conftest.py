"""Fixtures shared by the tests of the referee's side of the protocol."""

from collections.abc import Iterator

import pytest

from tests.engines.referee.children import Children


@pytest.fixture
def children() -> Iterator[Children]:
    """Yield a factory of child processes that replace bots, and kill them afterwards."""
    made = Children()
    yield made
    made.kill_all()
