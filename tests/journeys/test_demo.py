"""`manage.py demo` as a new user would run it right after cloning the project."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.serial,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(var: Path) -> dict[str, str]:
    # The demo finds a database and a broker and creates a key on its own.
    foreign = {"DATABASE_URL", "REDIS_URL", "SQUAREFIELD_SECRET_KEY", "DJANGO_SETTINGS_MODULE"}
    kept = {name: value for name, value in os.environ.items() if name not in foreign}
    return {**kept, "SQUAREFIELD_VAR": str(var), "SQUAREFIELD_NO_BOOTSTRAP": "1"}


def demo(var: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(ROOT / "manage.py"), "demo", "--scale", "small", *arguments]
    return subprocess.Popen(command, env=environment(var), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, cwd="/")


def refusal(var: Path, *arguments: str) -> str:
    """Return the output of a demo that refuses to start."""
    process = demo(var, *arguments)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in said
    return said


def processes_of(var: Path) -> set[str]:
    """Return the names of running processes started by a demo on this directory, including bots."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            ours = f"SQUAREFIELD_VAR={var}".encode() in (process / "environ").read_bytes().split(b"\0")
            if ours and (process / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                found.add((process / "cmdline").read_text().replace("\0", " "))
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
    return found


def mains(var: Path, parent: int, name: str) -> list[int]:
    """Return the ids of the demo's own children that run this command."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_text().split("\0")
            state, ppid = (process / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            if int(ppid) == parent and name in words and state != "Z":
                found.append(int(process.name))
    return found


def wait_for(condition, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        time.sleep(0.1)


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path, int]]:
    """Yield a demo whose site responds."""
    port = free_port()
    process = demo(tmp_path, "--port", str(port))

    def answers() -> bool:
        assert process.poll() is None, process.communicate()[0]
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/events/", timeout=5) as page:
                return b"round-robin" in page.read()
        except OSError:
            return False

    try:
        # The bots are checked before any event is scheduled.
        wait_for(answers, 180)
        yield process, tmp_path, port
    finally:
        process.kill()
        process.communicate()


class TestDemo:
    def test_leaves_no_process_when_stopped_and_continues_with_the_same_data(self, serving):
        process, var, port = serving
        process.send_signal(signal.SIGINT)
        stopped_said, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert stopped_said.rstrip().endswith("Stopped. The data are kept: run the command again to continue.")
        assert processes_of(var) == set()

        again = demo(var, "--port", str(port), "--exit")
        said, _ = again.communicate(timeout=240)
        assert again.returncode == 0, said
        assert "WARNING" not in stopped_said + said
        assert "30 of 30 games, 5 of 5 events ended" in said
        for name in ("Scware", "OOSCG-W", "SQU", "Square Grid Hex", "SquareSquared"):
            assert f"{name} round-robin – {name}" in said
        assert processes_of(var) == set()

    def test_refuses_to_run_twice_and_restarts_a_killed_worker_and_coordinator(self, serving):
        process, var, _ = serving
        assert f"Another demo is using {var}" in refusal(var, "--port", str(free_port()))
        for name in ("worker", "coordinator"):
            victim, = mains(var, process.pid, name)
            os.kill(victim, signal.SIGKILL)
            wait_for(lambda victim=victim, name=name: mains(var, process.pid, name) not in ([], [victim]), 60)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
        assert "The worker process ended" in said
        assert "The coordinator process ended" in said

    def test_leaves_no_process_when_killed(self, tmp_path):
        process = demo(tmp_path, "--port", str(free_port()))
        try:
            wait_for(lambda: mains(tmp_path, process.pid, "worker"), 180)
        finally:
            process.kill()
            process.communicate()
        wait_for(lambda: not processes_of(tmp_path), 30)

    def test_explains_an_occupied_port(self, tmp_path):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            said = refusal(tmp_path, "--port", str(port))
        assert f"Cannot use port {port}" in said
        assert f"--port {port + 1}" in said

    def test_explains_an_unwritable_directory(self):
        said = refusal(Path("/proc/nowhere"))
        assert "Cannot write to /proc/nowhere" in said
        assert "SQUAREFIELD_VAR" in said
