"""The tier of a machine: found by trials, cached, and never better than the trials show."""

import os
import subprocess
import tempfile

import pytest

from engines.sandbox import Runtime, Sandbox, SandboxUnavailable, Tier
from engines.sandbox.isolation import bubblewrap
from engines.sandbox.isolation.cgroups import CgroupsV1
from engines.sandbox.processes import launch
from engines.sandbox.processes.collect import collect
from engines.sandbox.processes.launch import Launcher, find_tools
from engines.sandbox.seccomp import filter_file
from engines.sandbox.tier.canaries import find_holes, find_tier


class TestTheTier:
    @pytest.mark.cgroup2
    def test_is_standard_if_every_isolation_works(self, standard):
        assert (standard.tier, standard.reason) == (Tier.STANDARD, "")

    def test_is_reduced_without_cgroups_and_says_why(self, opened):
        found = find_tier(opened.runtime, find_tools(), None, "no cgroups are mounted here")
        assert found == (Tier.REDUCED, "no cgroups are mounted here")

    def test_is_reduced_if_creating_groups_fails(self, opened, tmp_path):
        nowhere = CgroupsV1(dict.fromkeys(CgroupsV1.CONTROLLERS, tmp_path / "nowhere"))
        tier, reason = find_tier(opened.runtime, find_tools(), nowhere, "")
        assert tier is Tier.REDUCED
        assert "nowhere" in reason

    def test_is_found_once_and_then_cached(self, opened, monkeypatch):
        monkeypatch.setattr("engines.sandbox.tier.canaries.find_holes", None)  # fails if called
        assert Sandbox.open(opened.runtime).tier is opened.tier

    @pytest.mark.parametrize(("option", "words", "wall"), [
        ("--seccomp", 2, "sockets"), ("--disable-userns", 1, None), ("--unshare-pid", 1, "processes"),
    ])
    def test_depends_on_every_isolation(self, opened, monkeypatch, option, words, wall):
        whole = bubblewrap.arguments

        def with_a_hole(*args, **kwargs):
            arguments = whole(*args, **kwargs).split(b"\0")
            at = arguments.index(option.encode())
            return b"\0".join(arguments[:at] + arguments[at + words:])

        monkeypatch.setattr(launch.bubblewrap, "arguments", with_a_hole)
        holes = find_holes(Launcher(opened.runtime.slots, find_tools()), opened.runtime, memory_counted=False)
        assert wall in holes if wall else not holes  # the filter also denies namespaces

    def test_does_not_exist_if_an_isolation_fails(self, opened, tmp_path, monkeypatch):
        monkeypatch.setattr(launch, "filter_file", lambda *, memory_counted: _allow_everything(tmp_path))
        monkeypatch.setattr("engines.sandbox.tier.canaries._key", lambda *facts: "a-hole")
        with pytest.raises(SandboxUnavailable, match=r"isolation failed the test: .*sockets"):
            find_tier(opened.runtime, find_tools(), None, "")

    def test_is_unsafe_only_on_request(self, runtime, stage):
        with Sandbox.open(runtime, unsafe_local=True) as bare:
            assert bare.tier is Tier.UNSAFE_LOCAL
            process = bare.start(stage(["python3", "-c", "import engines; print(input())"]))
            os.write(process.stdin, b"hello\n")
            output = collect(process, 10, max_stdout=100, stderr_kept=1000)
            assert (output.stdout, process.wait(60), process.cpu_seconds()) == (b"hello\n", 0, None)

    @pytest.mark.parametrize(("missing", "remedy"), [("bwrap", "apt-get install bubblewrap"),
                                                     ("perl", "apt-get install perl-base")])
    def test_is_refused_with_the_remedy_if_a_program_is_missing(self, opened, monkeypatch, missing, remedy):
        present = launch.shutil.which
        monkeypatch.setattr(launch.shutil, "which",
                            lambda name, path: None if name == missing else present(name, path=path))
        with pytest.raises(SandboxUnavailable, match=f"^{missing} is not installed: {remedy}$"):
            Sandbox.open(opened.runtime)

    @pytest.mark.slow
    def test_of_an_ordinary_user_has_every_isolation_except_cgroups(self, opened, tmp_path):
        if os.geteuid() != 0:
            pytest.skip("the other tests already run as an ordinary user")
        copy = opened.runtime.sdk()  # readable by all users, in a directory that all may enter
        script = ("import tempfile; from pathlib import Path; from engines.sandbox import *\n"
                  "sandbox = Sandbox.open(Runtime(Path(tempfile.mkdtemp(), 'runtime')))\n"
                  "print(sandbox.tier, sandbox.reason)")
        filters = filter_file(memory_counted=True).parent
        for name in ("standard.bpf", "reduced.bpf"):
            target = copy / "squarefield/_core/engines/sandbox/seccomp" / name
            target.write_bytes((filters / name).read_bytes())
            target.chmod(0o644)
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script],
            env={"PYTHONPATH": str(copy), "PATH": "/usr/bin:/bin", "TMPDIR": tempfile.gettempdir()},
            capture_output=True, text=True, check=False)
        assert done.stdout.startswith("reduced there is no permission to make cgroups"), done.stderr


class TestTheRuntimeDirectory:
    def test_is_refused_if_others_can_write_there(self, tmp_path):
        (tmp_path / "shared").mkdir()
        (tmp_path / "shared").chmod(0o777)
        with pytest.raises(launch.SandboxError, match="no one else can write"):
            Runtime(tmp_path / "shared")

    def test_is_refused_if_it_is_a_link(self, tmp_path):
        (tmp_path / "real").mkdir(mode=0o755)
        (tmp_path / "link").symlink_to(tmp_path / "real")
        with pytest.raises(launch.SandboxError, match="belongs to this user"):
            Runtime(tmp_path / "link")


def _allow_everything(directory):
    """Return a filter of one instruction."""
    path = directory / "open.bpf"
    path.write_bytes(b"\x06\0\0\0\0\0\xff\x7f")
    return path


