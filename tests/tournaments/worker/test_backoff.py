"""A worker's process whose sandbox has failed takes nothing before it works again."""

import tempfile
from pathlib import Path

import pytest

from engines.sandbox import Runtime, Sandbox
from tournaments.worker import backoff as module
from tournaments.worker.backoff import SandboxBackoff

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.once]


class TestRest:
    @pytest.fixture
    def sandbox(self):
        # Not in pytest's own directory, which the uids of bots cannot enter.
        with tempfile.TemporaryDirectory(prefix="squarefield-tests-") as root:
            Path(root).chmod(0o711)
            with Sandbox.open(Runtime(Path(root, "r"))) as sandbox:
                yield sandbox

    @pytest.fixture(autouse=True)
    def impatient(self, monkeypatch):
        monkeypatch.setattr(module, "SHORTEST_SECONDS", 0.01)
        monkeypatch.setattr(module, "IN_ALL_SECONDS", 0.05)

    def test_is_over_at_once_when_the_sandbox_works(self, sandbox):
        rest = SandboxBackoff(sandbox)
        assert rest.until_well()
        rest.failed()
        assert rest.until_well()

    def test_goes_on_while_it_does_not(self, sandbox, caplog):
        rest = SandboxBackoff(sandbox)
        rest.failed()
        staging = sandbox.runtime.root / "staging"
        staging.rename(staging.with_name("away"))
        assert not rest.until_well()
        assert "worker paused, sandbox unavailable: there is no room" in caplog.text
        staging.with_name("away").rename(staging)
        assert rest.until_well()

    def test_leaves_no_file(self, sandbox):
        rest = SandboxBackoff(sandbox)
        rest.failed()
        rest.until_well()
        assert not list((sandbox.runtime.root / "staging").glob("*.room"))
