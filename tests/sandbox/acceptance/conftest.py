"""The workshop of the acceptance list, and the honest match that runs alongside."""

import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.sandbox import Sandbox
from tests.sandbox.acceptance import checks
from tests.sandbox.acceptance.arena import Workshop

_PATIENCE_SECONDS = 60


class Neighbour:
    """The honest match, with its reports on the games so far."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._unread = b""
        self.games: list[dict[str, object]] = []

    def await_game(self) -> None:
        """Read the reports so far, and wait for the end of the current game."""
        self._read(0)
        before = len(self.games)
        while len(self.games) == before:
            assert self._read(_PATIENCE_SECONDS), "the honest match running alongside has stalled"

    def _read(self, seconds: float) -> bool:
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            return False
        data = os.read(self._process.stdout.fileno(), 65536)
        *lines, self._unread = (self._unread + data).split(b"\n")
        self.games += map(json.loads, lines)
        return bool(data)


@pytest.fixture(scope="session")
def workshop(opened: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    return Workshop(opened, tmp_path_factory.mktemp("acceptance"))


@pytest.fixture(scope="module")
def neighbour(opened: Sandbox, workshop: Workshop) -> Iterator[Neighbour]:
    """Run an honest match in a separate process; its bots work 10 ms per turn."""
    honest = workshop.build("honest", ["10"])
    script = Path(__file__).with_name("neighbour.py")
    with subprocess.Popen([sys.executable, script, opened.runtime.root, honest.sha256], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(checks.ROOT)}) as process:
        neighbour = Neighbour(process)
        neighbour.await_game()
        yield neighbour
        process.stdin.close()
        while process.stdout.read(65536):
            pass
    assert process.returncode == 0


@pytest.fixture
def undisturbed(neighbour: Neighbour) -> Iterator[None]:
    """The honest match continues while a hostile bot plays and afterwards."""
    yield
    neighbour.await_game()
    assert [game for game in neighbour.games if game["ended_by"] != "rule"] == []
