"""A worker process whose sandbox has failed takes no matches until the sandbox works again."""

import tempfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from engines.sandbox import Runtime, Sandbox, SandboxError
from engines.sandbox.isolation.slots import SlotsInUse
from tournaments.worker import backoff as module
from tournaments.worker.backoff import SandboxBackoff
from tournaments.worker.worker import WorkerContext


class FakeSandbox:
    """A sandbox that works or not, and counts how often that is tried."""

    works = True
    tries = 0
    full = False

    def try_out(self) -> None:
        self.tries += 1
        if not self.works:
            raise SandboxError("there is no room")

    @contextmanager
    def places(self):
        if self.full:
            raise SlotsInUse("all slots are in use")
        yield


class TestSandboxBackoff:
    @pytest.fixture
    def pauses(self, monkeypatch) -> list[float]:
        """Return the list of pauses, which make up the time."""
        pauses: list[float] = []
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: sum(pauses), sleep=pauses.append))
        return pauses

    def test_ends_at_once_if_the_sandbox_works(self, pauses):
        backoff = SandboxBackoff(sandbox := FakeSandbox())
        assert (backoff.until_well(), sandbox.tries) == (True, 0)
        backoff.failed()
        assert (backoff.until_well(), backoff.until_well(), sandbox.tries, pauses) == (True, True, 1, [])

    def test_pauses_ever_longer_and_gives_up_after_a_minute(self, pauses, caplog):
        backoff = SandboxBackoff(sandbox := FakeSandbox())
        backoff.failed()
        sandbox.works = False
        assert not backoff.until_well()
        assert pauses == [1, 2, 4, 8, 16, 16]
        assert "worker paused, sandbox unavailable: there is no room" in caplog.text
        sandbox.works = True
        assert (backoff.until_well(), sandbox.tries) == (True, 8)

    def test_lets_nothing_be_claimed_while_the_machine_has_no_slots(self, pauses, caplog):
        context = WorkerContext("h:1:7", FakeSandbox(), matches=object())
        context.sandbox.tier, claims = "standard", []

        def take():
            with context.taking(lambda **facts: claims.append(facts) or "lease", match_id=3) as lease:
                return lease

        context.sandbox.full = True
        assert (take(), claims) == (None, [])
        assert "worker paused, no room in the sandbox: all slots are in use" in caplog.text
        context.sandbox.full = False
        assert take() == "lease"

    @pytest.mark.workers
    @pytest.mark.serial
    @pytest.mark.slow
    def test_notices_that_a_real_sandbox_has_no_place_and_leaves_no_file_there(self, pauses):
        # Not in pytest's directory, which the uids of bots cannot enter.
        with tempfile.TemporaryDirectory(prefix="squarefield-tests-") as root:
            Path(root).chmod(0o711)
            with Sandbox.open(Runtime(Path(root, "r"))) as sandbox:
                backoff, staging = SandboxBackoff(sandbox), sandbox.runtime.root / "staging"
                backoff.failed()
                staging.rename(staging.with_name("away"))
                assert not backoff.until_well()
                staging.with_name("away").rename(staging)
                assert backoff.until_well()
                assert not list(staging.glob("*.room"))
