"""`manage.py demo` as a new user would run it right after cloning the project."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from engines.rules.registry import RULESETS
from tests import databases
from tests.faults.machinery.processes import children, with_environment
from tests.ports import reserve_port
from tests.waiting import PATIENCE_SECONDS, wait_for

ROOT = Path(__file__).resolve().parents[2]
needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
pytestmark = pytest.mark.serial


class Demo:
    """A demo with a directory of its own."""

    def __init__(self, var: Path, *arguments: str, port: int) -> None:
        # The demo finds a database and a broker and creates a key on its own.
        foreign = {"DATABASE_URL", "REDIS_URL", "SQUAREFIELD_SECRET_KEY", "DJANGO_SETTINGS_MODULE"}
        kept = {name: value for name, value in os.environ.items() if name not in foreign}
        self.var, self.port, self.out = var, port, (var.parent / "out.txt").open("w+")
        command = [sys.executable, str(ROOT / "manage.py"), "demo", "--scale", "small", "--port", str(port), *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.out, stderr=subprocess.STDOUT,
                                        env={**kept, "SQUAREFIELD_VAR": str(var), "SQUAREFIELD_NO_BOOTSTRAP": "1"},
                                        cwd="/")

    def said(self) -> str:
        self.out.seek(0)
        return self.out.read()

    def serves_events(self) -> bool:
        assert self.process.poll() is None, self.said()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/events/", timeout=60) as page:
                return b"round-robin" in page.read()
        except OSError:
            return False

    def main_of(self, name: str) -> int | None:
        """Return the id of the demo's own child that runs this command, if there is one."""
        for child in children(self.process.pid):
            try:
                if name in Path(f"/proc/{child}/cmdline").read_text().split("\0"):
                    return child
            except OSError:
                continue
        return None

    def restarts(self, name: str) -> None:
        """Kill the child that runs this command, and wait for another one."""
        before = wait_for(lambda: self.main_of(name), f"the {name}", explain=self.said)
        os.kill(before, signal.SIGKILL)
        wait_for(lambda: self.main_of(name) not in (None, before), f"another {name}", explain=self.said)

    def left(self) -> list[int]:
        """Return the running processes that were started by a demo on this directory, including bots."""
        return with_environment(f"SQUAREFIELD_VAR={self.var}\0")


@contextmanager
def running(var: Path, *arguments: str, port: int) -> Iterator[Demo]:
    """Run a demo, and kill it at the end of the block if it still runs."""
    demo = Demo(var, *arguments, port=port)
    try:
        yield demo
    finally:
        demo.process.kill()
        demo.process.wait()
        demo.out.close()


@pytest.fixture
def var(tmp_path, django_db_setup) -> Path:
    """Return a directory for demos with a database that is migrated already, which takes long."""
    place = tmp_path / "var"
    place.mkdir()
    shutil.copyfile(databases.migrated_file(), place / "squarefield.sqlite3")
    return place


class TestDemo:
    @needs_sandbox
    @pytest.mark.slow
    def test_restarts_its_processes_leaves_none_and_continues_with_the_same_data(self, var):
        port = reserve_port()
        with running(var, port=port) as demo:
            # The bots are checked before any event is scheduled.
            wait_for(demo.serves_events, "the page of the events", explain=demo.said)
            with running(var, port=reserve_port()) as second:
                assert second.process.wait(PATIENCE_SECONDS) == 1
                assert f"Another demo is using {var}" in second.said()
                assert "Traceback" not in second.said()
            for name in ("worker", "coordinator"):
                demo.restarts(name)
            demo.process.send_signal(signal.SIGINT)
            assert demo.process.wait(PATIENCE_SECONDS) == 0
            said = demo.said()
            assert all(f"The {name} process ended" in said for name in ("worker", "coordinator"))
            assert said.rstrip().endswith("Stopped. The data are kept: run the command again to continue.")
            assert demo.left() == []

        with running(var, "--exit", port=port) as again:
            assert again.process.wait(2 * PATIENCE_SECONDS) == 0, again.said()
            assert "30 of 30 games, 5 of 5 events ended" in again.said()
            for ruleset in RULESETS.values():
                assert f"{ruleset.name} round-robin – {ruleset.name}" in again.said()
            assert again.left() == []

    @needs_sandbox
    @pytest.mark.slow
    @pytest.mark.thorough
    def test_leaves_no_process_when_killed(self, var):
        with running(var, port=reserve_port()) as demo:
            wait_for(lambda: demo.main_of("worker"), "the worker", explain=demo.said)
        wait_for(lambda: not demo.left(), "the end of all processes")


class TestARefusal:
    @pytest.fixture(autouse=True)
    def signals(self) -> Iterator[None]:
        """Restore what the command sets in this process."""
        before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
        yield
        for number, handler in before.items():
            signal.signal(number, handler)

    def test_explains_an_occupied_port(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            with pytest.raises(CommandError, match=rf"Cannot use port {port} .* --port {port + 1}$"):
                call_command("demo", port=port)

    def test_explains_an_unwritable_directory(self, settings):
        settings.VAR_DIR = Path("/proc/nowhere")
        with pytest.raises(CommandError, match=r"Cannot write to /proc/nowhere .*SQUAREFIELD_VAR"):
            call_command("demo", port=reserve_port())
