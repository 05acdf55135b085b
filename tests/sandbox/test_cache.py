"""The limit on staged builds: the least recently used is removed first, running ones stay, and workers share it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engines.sandbox import Build, Runtime, Sandbox, SandboxError, SandboxUnavailable, Tier
from engines.sandbox.archives.unpack import pack
from engines.sandbox.staging import sdk_copy
from engines.sandbox.staging.cache import GRACE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
SIZE = 10_000


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Return a runtime directory with room for two and a half of these bots, which need no package."""
    monkeypatch.setattr(sdk_copy, "package_files", dict)
    monkeypatch.setenv("SQUAREFIELD_CACHE_BYTES", str(SIZE * 5 // 2))
    return Runtime(tmp_path / "runtime")


@pytest.fixture
def archives(tmp_path):
    def archive(name: str) -> bytes:
        directory = tmp_path / name
        directory.mkdir(exist_ok=True)
        (directory / "bot.toml").write_text(f'name = "{name}"\ncommand = ["sleep", "60"]\n')
        (directory / "data").write_bytes(b"x" * SIZE)
        return pack(directory)

    return archive


def age(build: Build, seconds: float) -> None:
    """Pretend that the build was last used this long ago."""
    then = time.time() - seconds
    os.utime(build.path.parent / "stage.json", (then, then))


class TestTheLimit:
    def test_removes_the_least_recently_used_build(self, small, archives):
        ant, bee = small.stage(archives("ant")), small.stage(archives("bee"))
        age(ant, 3000)
        age(bee, 9000)
        cat = small.stage(archives("cat"))
        assert [build.path.exists() for build in (ant, bee, cat)] == [True, False, True]

    def test_counts_a_lookup_as_use(self, small, archives):
        ant, bee = small.stage(archives("ant")), small.stage(archives("bee"))
        age(ant, 9000)
        age(bee, 3000)
        assert small.staged(ant.sha256) == ant
        small.stage(archives("cat"))
        assert [build.path.exists() for build in (ant, bee)] == [True, False]

    def test_allows_restaging_a_removed_build(self, small, archives):
        ant = small.stage(archives("ant"))
        age(ant, 9000)
        small.stage(archives("bee"))
        small.stage(archives("cat"))
        assert small.staged(ant.sha256) is None
        assert small.stage(archives("ant")).path.exists()

    @pytest.mark.parametrize("limit", ["", "-1", "2 GiB"])
    def test_is_a_number_of_bytes(self, tmp_path, monkeypatch, limit):
        monkeypatch.setenv("SQUAREFIELD_CACHE_BYTES", limit)
        with pytest.raises(SandboxUnavailable, match="must be a number of bytes"):
            Runtime(tmp_path / "runtime")


RUNNER = """
import sys, time
from pathlib import Path
from engines.sandbox import Runtime, Sandbox, Tier
from engines.sandbox.staging import sdk_copy
sdk_copy.package_files = dict
runtime = Runtime(Path(sys.argv[1]))
with Sandbox(runtime, Tier.UNSAFE_LOCAL) as sandbox, sandbox.start(runtime.staged(sys.argv[2])):
    print("started", flush=True)
    time.sleep(60)
"""


@pytest.mark.serial
class TestABuildInUse:
    def test_stays_while_another_process_runs_a_bot_of_it(self, small, archives):
        ant = small.stage(archives("ant"))
        with subprocess.Popen([sys.executable, "-c", RUNNER, str(small.root), ant.sha256], cwd=ROOT,
                              stdout=subprocess.PIPE) as runner:
            assert runner.stdout.readline() == b"started\n"
            age(ant, 9000)
            age(small.stage(archives("bee")), 3000)
            small.stage(archives("cat"))
            assert ant.path.exists()
            runner.kill()
        age(ant, 9000)
        small.stage(archives("dog"))
        assert not ant.path.exists(), "a process's lock ends with the process"

    def test_is_in_use_until_its_bot_has_ended(self, small, archives):
        ant = small.stage(archives("ant"))
        with Sandbox(small, Tier.UNSAFE_LOCAL) as sandbox:
            process = sandbox.start(ant)
            age(ant, 9000)
            process.kill()
        assert (ant.path.parent / "stage.json").stat().st_mtime > time.time() - GRACE_SECONDS

    def test_is_not_the_bots_fault_if_it_was_removed(self, small, archives):
        ant = small.stage(archives("ant"))
        age(ant, 9000)
        small.stage(archives("bee"))
        small.stage(archives("cat"))
        with Sandbox(small, Tier.UNSAFE_LOCAL) as sandbox, pytest.raises(SandboxError, match="was removed"):
            sandbox.start(ant)
