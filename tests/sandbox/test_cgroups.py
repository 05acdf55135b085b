"""Finding and writing cgroups in trees of plain files; the tests marked `cgroup2` use real ones of either version."""

import errno
import os
from pathlib import Path

import pytest

from engines.sandbox.isolation.cgroups import CgroupsV1, CgroupsV2, GroupV1, GroupV2
from engines.sandbox.isolation.delegation import WORKERS, find_cgroups
from engines.sandbox.isolation.errors import SandboxError
from engines.sandbox.isolation.limits import Limits, MiB
from engines.sandbox.isolation.slots import Slot

V1 = """\
25 20 0:22 / {root}/memory rw,relatime - cgroup cgroup rw,memory
26 20 0:23 / {root}/pids rw,relatime - cgroup cgroup rw,pids
27 20 0:24 / {root}/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
28 20 0:25 /docker/abc {root}/freezer rw,relatime - cgroup cgroup rw,freezer
29 20 0:26 / {root}/unified rw,relatime - cgroup2 cgroup2 rw
"""
LIMITS_V2 = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max")
V2 = "25 20 0:22 / {root} rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"


@pytest.fixture
def proc(tmp_path):
    """Return a function that writes a /proc with these two files."""
    (tmp_path / "proc/self").mkdir(parents=True)

    def write(groups, mounts):
        (tmp_path / "proc/self/cgroup").write_text(groups)
        (tmp_path / "proc/self/mountinfo").write_text(mounts.format(root=tmp_path / "cgroup"))
        return tmp_path / "proc"

    return write


def make_v2(directory, *, controllers="cpuset cpu io memory pids", handed="", processes=""):
    directory.mkdir(parents=True)
    (directory / "cgroup.controllers").write_text(controllers)
    (directory / "cgroup.subtree_control").write_text(handed)
    (directory / "cgroup.procs").write_text(processes)
    (directory / "cgroup.type").write_text("domain")


class TestVersion1:
    GROUPS = "4:memory:/jobs/er\n3:pids:/\n2:cpu,cpuacct:/jobs\n1:freezer:/docker/abc/def\n0::/\n"

    def test_is_found_below_the_workers_own_groups(self, proc, tmp_path):
        for name in ("memory/jobs/er", "pids", "cpu,cpuacct/jobs", "freezer/def"):
            (tmp_path / "cgroup" / name).mkdir(parents=True)
        cgroups, reason = find_cgroups(proc(self.GROUPS, V1))
        root = tmp_path / "cgroup"
        assert reason == ""
        assert cgroups.place == (f"{root}/memory/jobs/er {root}/pids {root}/cpu,cpuacct/jobs {root}/cpu,cpuacct/jobs "
                                 f"{root}/freezer/def")

    def test_is_not_found_if_the_worker_may_not_write(self, proc):
        cgroups, reason = find_cgroups(proc(self.GROUPS, V1))
        assert cgroups is None
        assert reason.startswith("there is no permission to make cgroups in ")


class TestVersion2:
    def test_moves_the_workers_aside_and_delegates_the_controllers(self, proc, tmp_path):
        own = tmp_path / "cgroup/service"
        make_v2(own, processes="")
        cgroups, reason = find_cgroups(proc("0::/service\n", V2))
        assert (cgroups.place, reason) == (str(own), "")
        assert (own / WORKERS).is_dir()
        assert (own / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"

    def test_is_found_again_by_a_worker_that_was_moved(self, proc, tmp_path):
        make_v2(tmp_path / "cgroup/service", handed="cpu memory pids")
        cgroups, _ = find_cgroups(proc(f"0::/service/{WORKERS}\n", V2))
        assert cgroups.place == str(tmp_path / "cgroup/service")

    @pytest.mark.parametrize(("controllers", "missing"), [("cpu pids", "memory"), ("memory pids", "cpu")])
    def test_is_not_found_without_its_controllers(self, proc, tmp_path, controllers, missing):
        make_v2(tmp_path / "cgroup/service", controllers=controllers)
        cgroups, reason = find_cgroups(proc("0::/service\n", V2))
        assert cgroups is None
        assert f"no {missing} controller" in reason

    def test_is_not_found_if_it_is_not_delegated(self, proc):
        cgroups, reason = find_cgroups(proc("0::/gone\n", V2))
        assert cgroups is None
        assert "not delegated" in reason

    def test_writes_limits_and_reads_use(self, tmp_path, monkeypatch):
        # The kernel creates these files with the directory.
        make = os.mkdir

        def mkdir(directory):
            make(directory)
            path = Path(directory)
            (path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
            (path / "memory.events").write_text("low 0\nhigh 0\nmax 7\noom 1\noom_kill 0\n")
            (path / "memory.stat").write_text("workingset_refault_file 4\n")
            (path / "cgroup.freeze").write_text("0")
            for name in (*LIMITS_V2, "cgroup.procs"):
                (path / name).touch()

        monkeypatch.setattr(os, "mkdir", mkdir)
        group = CgroupsV2(tmp_path).make("3-abc", Limits(memory_bytes=64 * MiB, tasks=10))
        directory = tmp_path / "squarefield-3-abc"
        written = {name: (directory / name).read_text() for name in LIMITS_V2}
        assert written == {"memory.max": str(64 * MiB), "memory.swap.max": "0", "memory.oom.group": "1",
                           "pids.max": "12", "cpu.max": "100000 100000"}
        assert (group.cpu_seconds(), group.memory_exceeded()) == (2.5, False)
        (directory / "memory.events").write_text("oom 1\noom_kill 1\n")
        assert group.memory_exceeded()
        (directory / "memory.events").write_text("max 7\noom_kill 0\n")
        (directory / "memory.stat").write_text("workingset_refault_file 1000000\n")
        assert not group.memory_exceeded()  # the host's memory is short, not the group's
        (directory / "memory.events").write_text("max 8\noom_kill 0\n")
        assert group.memory_exceeded()
        group.freeze()
        assert (directory / "cgroup.freeze").read_text() == "1"
        group.thaw()
        assert (directory / "cgroup.freeze").read_text() == "0"
        group.attach(42)
        assert (directory / "cgroup.procs").read_text() == "42"


class TestNoCgroups:
    def test_are_found_if_none_are_mounted(self, proc):
        assert find_cgroups(proc("0::/\n", "")) == (
            None, "no cgroups are mounted here: mount version 2 at /sys/fs/cgroup, writable")


class TestAGroupThatCannotBeRecorded:
    @pytest.mark.cgroup2
    def test_is_not_created(self, standard, stage, monkeypatch):
        """As on a full disk: a group without a note would never be removed."""
        def fail(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        made = []
        monkeypatch.setattr(Slot, "note", fail)
        monkeypatch.setattr(type(standard._launcher._cgroups), "make", lambda *arguments: made.append(arguments))
        with pytest.raises(SandboxError, match="No space left on device"):
            standard.start(stage(["true"]))
        assert not made


class TestAKilledProcess:
    """Whose memory ran out is told by the kernel's counters: of kills, and of hits of the group's own limit."""

    @pytest.mark.parametrize(("kills", "hits", "own", "others"), [
        (0, 3, False, False), (1, 3, True, False), (1, 0, False, True)])
    def test_is_the_bots_fault_only_if_the_group_met_its_limit(self, tmp_path, kills, hits, own, others):
        (tmp_path / "freezer.state").touch()
        (tmp_path / "cpuacct.usage").write_text("0")
        (tmp_path / "memory.oom_control").write_text(f"oom_kill_disable 0\nunder_oom 0\noom_kill {kills}\n")
        (tmp_path / "memory.memsw.limit_in_bytes").write_text(f"{64 * MiB}\n")
        (tmp_path / "memory.memsw.max_usage_in_bytes").write_text(f"{(64 if hits else 60) * MiB}\n")
        (tmp_path / "memory.stat").write_text("workingset_refault_file 0\n")
        (tmp_path / "cgroup.freeze").touch()
        (tmp_path / "cpu.stat").write_text("usage_usec 0\n")
        (tmp_path / "memory.events").write_text(f"low 0\nhigh 0\nmax {hits}\noom {hits}\noom_kill {kills}\n")
        for group in (GroupV1(dict.fromkeys(CgroupsV1.CONTROLLERS, str(tmp_path))), GroupV2(str(tmp_path), 512 * MiB)):
            assert (group.memory_exceeded(), group.killed_for_others()) == (own, others), type(group)
            for file in group._files:
                os.close(file)
