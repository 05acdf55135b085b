"""What tests of the referee's side of the protocol share."""

from collections.abc import Iterator

import pytest

from tests.engines.referee.children import Children


@pytest.fixture
def children() -> Iterator[Children]:
    """Starts children in the place of bots, and kills them afterwards."""
    made = Children()
    yield made
    made.kill_all()
