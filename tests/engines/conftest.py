"""Fixtures shared by the tests of the referee's side of the protocol."""

from collections.abc import Iterator

import pytest

from tests.engines.referee.children import Children


class CalmHost:
    """In place of the monitor of a starved host, which a busy test machine could be."""

    reason = ""

    def __init__(self, *_: object) -> None:
        self.begun = False

    def begin(self) -> None:
        self.begun = True

    def verdict(self, *, wall_is_charged: bool) -> str:
        return self.reason and f"{self.reason} ({self.begun=}, {wall_is_charged=})"


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> Iterator[Children]:
    """Yield a factory of child processes that replace bots on a host that is never to blame; kill them afterwards."""
    monkeypatch.setattr("engines.referee.seat.StarvationMonitor", CalmHost)
    made = Children()
    yield made
    made.kill_all()
