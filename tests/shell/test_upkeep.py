"""The demo's upkeep restarts processes that end."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tournaments.setup.bootstrap.children import Child, tied_to_parent
from tournaments.setup.demo.upkeep import Upkeep

pytestmark = pytest.mark.serial


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Child]:
    sleeps = tied_to_parent([sys.executable, "-c", "import time; time.sleep(600)"])
    with Child(sleeps, tmp_path / "worker.log") as child:
        yield child


class TestUpkeep:
    def test_restarts_a_killed_child_and_says_so(self, child: Child) -> None:
        now, said = [0.0], []
        upkeep = Upkeep([child], said.append, clock=lambda: now[0])
        upkeep.look()
        assert said == []
        self._kill(child)
        upkeep.look()
        assert said == [f"The worker process ended with exit code -9. It restarts in 1 s; its log is {child.log}"]
        assert child.process is None
        now[0] = 1.0
        upkeep.look()
        assert child.process.poll() is None

    def test_backs_off_and_resets_after_a_long_run(self, child: Child) -> None:
        now, said = [0.0], []
        upkeep = Upkeep([child], said.append, clock=lambda: now[0])
        for wait in (1, 2, 4, 8, 16, 30, 30):
            self._kill(child)
            upkeep.look()
            assert f"in {wait} s" in said[-1]
            now[0] += wait - 0.1
            upkeep.look()
            assert child.process is None
            now[0] += 0.1
            upkeep.look()
            assert child.process.poll() is None
        now[0] += 31
        self._kill(child)
        upkeep.look()
        assert "in 1 s" in said[-1]

    @staticmethod
    def _kill(child: Child) -> None:
        os.kill(child.pid, signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
