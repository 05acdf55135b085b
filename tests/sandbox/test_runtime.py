"""Staging: once for each archive, built with the same isolation, and cleaned up after dead workers."""

import hashlib
import shutil
import signal
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from engines.manifest import ManifestRefused
from engines.sandbox import ArchiveRefused, BuildFailed, Limits, Runtime, Sandbox, SandboxError
from engines.sandbox.archives.unpack import pack
from engines.sandbox.isolation.limits import MiB
from engines.sandbox.processes.collect import collect
from engines.sandbox.staging import sdk_copy
from engines.sandbox.staging.building import build as run_build
from engines.sandbox.staging.submission import read_submission
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]


def bot(directory, manifest, **files):
    directory.mkdir(exist_ok=True)
    (directory / "bot.toml").write_text('name = "Test"\n' + manifest)
    for name, content in files.items():
        (directory / name).write_text(content)
    return directory


class TestStaging:
    def test_happens_once_for_an_archive(self, runtime, tmp_path):
        archive = pack(bot(tmp_path / "bot", 'command = "true"'))
        first = runtime.stage(archive)
        made = first.path.stat().st_ctime_ns
        again = Runtime(runtime.root).stage(archive, sha256=hashlib.sha256(archive).hexdigest())
        assert (again, again.path.stat().st_ctime_ns) == (first, made)
        assert first.sha256 == hashlib.sha256(archive).hexdigest()

    def test_reads_a_manifest_as_the_upload_did(self, runtime, tmp_path):
        """Windows programs put a byte order mark at the beginning of a file."""
        directory = bot(tmp_path / "bot", "")
        (directory / "bot.toml").write_bytes('\ufeffname = "棋士"\r\nrun = "true"\r\n'.encode())
        archive = pack(directory)
        assert runtime.stage(archive).manifest == read_submission(archive)

    def test_is_found_again_without_the_archive(self, runtime, tmp_path):
        build = runtime.stage_directory(bot(tmp_path / "bot", 'command = "echo 1"'))
        assert Runtime(runtime.root).staged(build.sha256) == build
        assert runtime.staged("0" * 64) is None

    def test_is_repeated_if_files_are_missing(self, runtime, tmp_path):
        archive = pack(bot(tmp_path / "bot", 'command = "echo 2"', data="x"))
        build = runtime.stage(archive)
        (build.path / "data").unlink()
        later = Runtime(runtime.root)
        assert later.staged(build.sha256) is None
        assert (later.stage(archive).path / "data").exists()

    def test_is_repeated_if_files_are_missing_from_a_build_in_use(self, runtime, tmp_path):
        archive = pack(bot(tmp_path / "bot", 'command = "true"', swept="x"))
        build = runtime.stage(archive)
        assert not runtime.damaged(build)
        (build.path / "swept").unlink()
        assert runtime.damaged(build)
        assert not runtime.damaged(runtime.stage(archive))
        assert (build.path / "swept").exists()

    def test_uses_the_only_directory_of_an_archive(self, runtime, tmp_path):
        bot(tmp_path / "outer", "", x="")
        bot(tmp_path / "outer" / "mine", 'command = "true"', bot="x")
        (tmp_path / "outer/bot.toml").unlink()
        (tmp_path / "outer/x").unlink()
        build = runtime.stage_directory(tmp_path / "outer")
        assert sorted(path.name for path in build.path.iterdir()) == ["bot", "bot.toml"]

    def test_blames_the_storage_if_the_archive_has_changed(self, runtime, tmp_path):
        archive = pack(bot(tmp_path / "bot", 'command = "true"'))
        with pytest.raises(SandboxError, match="storage is damaged"):
            runtime.stage(archive, sha256="0" * 64)

    def test_refuses_an_invalid_bot_and_leaves_nothing(self, runtime, tmp_path):
        before = sorted(runtime.root.rglob("*"))
        with pytest.raises(ArchiveRefused):
            runtime.stage(b"noise")
        with pytest.raises(ManifestRefused):
            runtime.stage_directory(bot(tmp_path / "bot", ""))
        left = {path for path in runtime.root.rglob("*") if path.suffix != ".lock"}
        assert left <= set(before)

    def test_lets_no_other_user_list_or_write(self, runtime):
        assert [oct((runtime.root / name).stat().st_mode & 0o777) for name in ("", "builds", "slots")] == [
            "0o711", "0o711", "0o700"]


class TestABuild:
    def build(self, opened, tmp_path, command, **files):
        directory = bot(tmp_path / "bot", f'command = "./run"\nbuild = {command!r}\n', **files)
        return opened.runtime.stage_directory(directory, sandbox=opened)

    def test_creates_files_that_the_bot_can_use(self, opened, tmp_path):
        build = self.build(opened, tmp_path, ["sh", "build.sh"], **{"build.sh": """
            echo compiling
            mkdir out
            echo 'echo built' > out/script
            chmod +x out/script
            ln -s out/script run
            """})
        assert build.build_log == "compiling\n"
        with opened.start(build) as process:
            assert collect(process, 10, max_stdout=100, stderr_kept=100).stdout == b"built\n"

    def test_reports_how_it_failed(self, opened, tmp_path):
        with pytest.raises(BuildFailed, match="ended with status 3") as failure:
            self.build(opened, tmp_path, ["sh", "-c", "echo a fault on line 7 >&2; exit 3"])
        assert failure.value.log == "a fault on line 7\n"

    def test_cannot_leave_a_device(self, opened, tmp_path):
        with pytest.raises(BuildFailed, match=r"'\./zero' is neither"):
            self.build(opened, tmp_path, ["ln", "-s", "/dev/zero", "zero"])

    def test_cannot_fill_the_disk(self, opened, tmp_path):
        source = bot(tmp_path / "bot", "")
        tmp_path.chmod(0o711)
        (source / "bot.toml").chmod(0o644)
        source.chmod(0o755)
        staged = opened.runtime.root / "staging" / "a-test"
        source.rename(staged)
        with pytest.raises(BuildFailed, match="ended with status") as failure:
            run_build(opened, staged, ("sh", "-c", "cat /dev/zero > big"), limits=Limits(tmp_bytes=8 * MiB))
        shutil.rmtree(staged)  # The session shares the runtime, and other tests inspect its staged builds.
        assert "No space left" in failure.value.log

    def test_is_stopped_at_its_time_limit(self, opened, runtime):
        with pytest.raises(BuildFailed, match=r"did not end within 0\.2 s"):
            run_build(opened, runtime.sdk(), ("sleep", "60"), seconds=0.2)


WORKER = """
import select, sys, time
from pathlib import Path
from engines.sandbox import Runtime, Sandbox
sandbox = Sandbox.open(Runtime(Path(sys.argv[1])))
process = sandbox.start(sandbox.runtime.staged(sys.argv[2]))
select.select([process.stdout], [], [], 10)
if sys.argv[3] == "frozen":
    process.freeze()
    time.sleep(0.1)
print(process.pid, flush=True)
time.sleep(60)
"""


class TestADeadWorker:
    @pytest.mark.parametrize("state", ["running", "frozen"])
    def test_leaves_no_bot_alive(self, opened, stage, state):
        build = stage(["python3", "-u", "bot.py"], {"bot.py": "import os\nos.fork()\nprint(1)\nwhile True: pass"})
        with subprocess.Popen([sys.executable, "-c", WORKER, str(opened.runtime.root), build.sha256, state], cwd=ROOT,
                              stdout=subprocess.PIPE) as worker:
            pid = int(worker.stdout.readline())
            tree = [pid, *_descendants(pid)]
            assert len(tree) >= 3
            groups = self.noted_groups(opened.runtime)
            worker.send_signal(signal.SIGKILL)
        again = Sandbox.open(Runtime(opened.runtime.root))  # the next worker cleans up
        assert again.tier is opened.tier
        assert not any(group.exists() for group in groups)
        assert self.noted_groups(opened.runtime) == []
        wait_for(lambda: not any(map(_runs, tree)), "the end of every process")

    def noted_groups(self, runtime):
        return [Path(line) for slot in (runtime.root / "slots").iterdir() for line in slot.read_text().splitlines()]


def _descendants(pid):
    from engines.sandbox.processes.watch import descendants

    return descendants(pid)


def _runs(pid):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


class TestTheSlots:
    def test_have_uids_from_the_environment(self, runtime, monkeypatch):
        monkeypatch.setenv("SQUAREFIELD_SANDBOX_UID_BASE", "300000")
        slot = runtime.slots.take()
        assert slot.uid == 300_000 + slot.number
        slot.release()

    @pytest.mark.parametrize("base", ["0", "999", "-1", "many", ""])
    def test_refuse_uids_of_existing_users(self, runtime, monkeypatch, base):
        monkeypatch.setenv("SQUAREFIELD_SANDBOX_UID_BASE", base)
        with pytest.raises(SandboxError, match="at least 1000"):
            runtime.slots.take()


class TestTheCopyForBots:
    def test_has_the_native_engine_only_if_their_python_can_load_it(self, tmp_path, monkeypatch):
        (tmp_path / "sdk").mkdir()
        monkeypatch.setattr("engines.native.available", lambda: True)
        monkeypatch.setattr(sdk_copy, "package_files", lambda: {"squarefield/__init__.py": b""})
        found = {}
        for name in ("_native.cpython-39-other-linux-gnu.so", "_native.abi3.so"):
            file = tmp_path / name
            file.write_bytes(b"native")
            spec = ModuleSpec("_native", None, origin=str(file))
            monkeypatch.setattr("engines.native.find", lambda spec=spec: spec)
            found[name] = {path.name for path in sdk_copy.stage_sdk(tmp_path / "sdk").rglob("_native*")}
        assert list(found.values()) == [set(), {"_native.abi3.so"}]
