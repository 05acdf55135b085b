"""Temporary directories of processes that may be killed."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tournaments.platform.scratch import scratch

KILLED = """
import os, signal, sys
from tournaments.platform.scratch import scratch
with scratch("test") as directory:
    (directory / "file").write_text("left")
    print(directory, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


class TestScratch:
    def test_is_deleted_when_its_process_is_done_and_no_earlier(self, place):
        with scratch("test") as first, scratch("test") as second:
            assert sorted(place.iterdir()) == sorted((first, second))
        assert not list(place.iterdir())

    def test_of_a_killed_process_is_deleted_by_the_next_one(self, place):
        said = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, check=False)
        left = Path(said.stdout.strip())
        assert (left / "file").exists(), said.stderr
        with scratch("other"):
            assert left.exists()
        with scratch("test"):
            assert not left.exists()

    def test_is_recreated_if_deleted_before_it_was_locked(self, monkeypatch):
        made, make = [], tempfile.mkdtemp

        def swept_once(**options):
            made.append(make(**options))
            if len(made) == 1:
                Path(made[0]).rmdir()
            return made[-1]

        monkeypatch.setattr(tempfile, "mkdtemp", swept_once)
        with scratch("test") as directory:
            assert [Path(path).exists() for path in made] == [False, True]
            assert directory == Path(made[1])
