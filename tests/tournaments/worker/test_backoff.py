"""A worker process whose sandbox has failed takes no matches until the sandbox works again."""

import tempfile
from pathlib import Path

import pytest

from engines.sandbox import Runtime, Sandbox
from tournaments.worker import backoff as module
from tournaments.worker.backoff import SandboxBackoff

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow]


class TestSandboxBackoff:
    @pytest.fixture
    def sandbox(self):
        # Not in pytest's directory, which the uids of bots cannot enter.
        with tempfile.TemporaryDirectory(prefix="squarefield-tests-") as root:
            Path(root).chmod(0o711)
            with Sandbox.open(Runtime(Path(root, "r"))) as sandbox:
                yield sandbox

    @pytest.fixture(autouse=True)
    def impatient(self, monkeypatch):
        monkeypatch.setattr(module, "SHORTEST_SECONDS", 0.01)
        monkeypatch.setattr(module, "IN_ALL_SECONDS", 0.05)

    def test_ends_at_once_if_the_sandbox_works(self, sandbox):
        backoff = SandboxBackoff(sandbox)
        assert backoff.until_well()
        backoff.failed()
        assert backoff.until_well()

    def test_continues_while_the_sandbox_fails(self, sandbox, caplog):
        backoff = SandboxBackoff(sandbox)
        backoff.failed()
        staging = sandbox.runtime.root / "staging"
        staging.rename(staging.with_name("away"))
        assert not backoff.until_well()
        assert "worker paused, sandbox unavailable: there is no room" in caplog.text
        staging.with_name("away").rename(staging)
        assert backoff.until_well()

    def test_leaves_no_file(self, sandbox):
        backoff = SandboxBackoff(sandbox)
        backoff.failed()
        backoff.until_well()
        assert not list((sandbox.runtime.root / "staging").glob("*.room"))
