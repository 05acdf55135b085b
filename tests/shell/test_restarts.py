"""A process that fails at its start says so at once and exits later."""

import subprocess
import sys

import pytest

from tests.tournaments.site import ROOT
from tournaments.setup.bootstrap import restarts

FAILURE = "The reason."


class TestAFailureAtTheStart:
    @pytest.fixture
    def waits(self, monkeypatch):
        found: list[float] = []
        monkeypatch.setattr(restarts.time, "sleep", found.append)
        return found

    def test_waits_for_the_rest_of_ten_seconds(self, waits, monkeypatch):
        for failure, code in ((SystemExit(FAILURE), 1), (SystemExit(2), 2), (ValueError(FAILURE), 1)):
            clock = iter([100.0, 103.0])
            monkeypatch.setattr(restarts.time, "monotonic", lambda clock=clock: next(clock))
            with pytest.raises(SystemExit) as end, restarts.held_back():
                raise failure
            assert (waits.pop(), end.value.code) == (7.0, code)

    def test_waits_no_longer_after_ten_seconds(self, waits, monkeypatch):
        clock = iter([100.0, 200.0])
        monkeypatch.setattr(restarts.time, "monotonic", lambda: next(clock))
        with pytest.raises(SystemExit), restarts.held_back():
            raise SystemExit(1)
        assert waits == [0.0]

    def test_is_not_an_ordinary_exit(self, waits):
        for code in (0, None):
            with pytest.raises(SystemExit), restarts.held_back():
                raise SystemExit(code)
        assert waits == []

    def test_includes_an_invalid_time(self, waits, monkeypatch, capsys):
        monkeypatch.setenv(restarts.VARIABLE, "soon")
        with pytest.raises(SystemExit), restarts.held_back():
            pass
        assert len(waits) == 1
        assert "SQUAREFIELD_RESTART_SECONDS must be a number of seconds, not 'soon'." in capsys.readouterr().err

    def test_is_printed_before_the_wait_which_a_signal_ends(self):
        script = ("from tournaments.setup.bootstrap.restarts import held_back\n"
                  f"with held_back(): raise SystemExit({FAILURE!r})")
        with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True, cwd=ROOT,
                              env={restarts.VARIABLE: "600"}) as process:
            assert process.stderr.readline() == f"{FAILURE}\n"
            assert process.poll() is None
            process.terminate()
            assert process.wait(60) < 0
