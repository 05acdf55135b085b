"""The isolation of a bot in the sandbox, tested with real processes, with and without cgroups."""

import os
import re
import select
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from engines.sandbox import Limits, SandboxError
from engines.sandbox.isolation import bubblewrap
from engines.sandbox.isolation.limits import MiB
from engines.sandbox.processes.collect import collect
from tests.waiting import wait_for


def first_line(process, pipe=None):
    pipe = pipe or process.stdout
    select.select([pipe], [], [], 60)
    return os.read(pipe, 4096).decode().strip()


class TestABot:
    def test_can_import_the_engines(self, sandbox, run):
        output = run(sandbox, "import engines.rules.registry as r; print(r.__file__, len(r.RULESETS))")
        place = "/opt/squarefield/squarefield/_core/engines/rules/registry.py"
        assert output.stdout.decode().strip() == f"{place} 5", output.stderr

    def test_imports_the_engines_compiled(self, sandbox, run):
        output = run(sandbox, "import engines.rules.grid as g; print(open(g.__cached__, 'rb').read(8)[4])")
        assert output.stdout == b"1\n"  # an unchecked hash: imports compare nothing

    def test_cannot_see_the_workers_environment(self, sandbox, run, monkeypatch):
        monkeypatch.setenv("DATABASE_URL", "postgres://somebody:secret@db/squarefield")
        output = run(sandbox, """
            import os
            print(sorted(os.environ))
            for pid in filter(str.isdigit, os.listdir("/proc")):
                for name in ("environ", "cmdline"):
                    try:
                        print(open(f"/proc/{pid}/{name}").read())
                    except OSError as refusal:
                        print(refusal)
            """.replace("\n            ", "\n"))
        assert output.stdout.startswith(b"['HOME', 'LANG', 'PATH', 'PWD', 'PYTHONPATH']\n")
        assert b"secret" not in output.stdout
        assert b"/builds/" not in output.stdout

    def test_reads_no_counter_of_the_whole_machine(self, sandbox, run):
        output = run(sandbox, """
import os
# What is left at the top of /proc does not change while the machine runs, or belongs to the sandbox's own namespaces.
steady = {"config.gz", "consoles", "cpuinfo", "crypto", "devices", "dma", "execdomains", "fb", "filesystems", "kmsg",
          "kcore", "kpagecgroup", "kpagecount", "kpageflags", "mdstat", "misc", "modules", "mounts", "mtrr",
          "partitions", "stat", "uptime", "version", "version_signature", "vmallocinfo", "net"}
for name in sorted(os.listdir("/proc")):
    path = f"/proc/{name}"
    if os.path.isfile(path) and name not in steady and os.access(path, os.R_OK) and open(path, "rb").read():
        print(path)
for name in ("sys", "pressure", "fs", "irq", "1"):
    if os.path.isdir(f"/proc/{name}"):
        print(*os.listdir(f"/proc/{name}"), end="")
print(open("/proc/stat").read().count("cpu"), os.cpu_count() > 0)
""")
        assert output.stdout == b"2 True\n", output.stderr

    @pytest.mark.cgroup2
    def test_has_its_own_uid_and_is_not_root(self, opened, start):
        if os.geteuid() != 0:
            pytest.skip("only root can give each bot its own uid")
        uids = []
        for _ in range(2):
            process = start(opened, "print(1); input()")
            first_line(process)
            status = Path(f"/proc/{process.pid}/status").read_text()
            uids.append(re.search(r"^Uid:\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)", status, re.MULTILINE).groups())
            assert re.search(r"^Groups:\s*$", status, re.MULTILINE)
        assert all(len(set(four)) == 1 and int(four[0]) >= 1000 for four in uids)
        assert uids[0] != uids[1]

    @pytest.mark.cgroup2
    def test_cannot_fork_endlessly(self, sandbox, run):
        output = run(sandbox, """
import os, time
count = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        count += 1
except BlockingIOError:
    print(count)
""", tasks=20)
        assert 10 <= int(output.stdout) <= 20

    @pytest.mark.cgroup2
    def test_cannot_exceed_its_memory_limit(self, sandbox, start):
        process = start(sandbox, "hoard = bytearray(b'x') * 300 * 2**20\nprint('took it')", memory_bytes=64 * MiB)
        output = collect(process, 60, max_stdout=1000, stderr_kept=10_000)
        assert output.stdout == b""
        assert process.memory_exceeded() or b"MemoryError" in output.stderr

    @pytest.mark.cgroup2
    def test_is_caught_if_its_children_exceed_the_memory_limit(self, sandbox, start):
        process = start(sandbox, """
import os, time
for _ in range(6):
    if os.fork() == 0:
        hoard = bytearray(b"x") * 40 * 2**20
        time.sleep(30)
        os._exit(0)
time.sleep(30)
""", memory_bytes=100 * MiB)
        wait_for(process.memory_exceeded, "the memory limit")

    @pytest.mark.cgroup2
    def test_is_caught_if_shared_memory_exceeds_the_limit(self, sandbox, start):
        process = start(sandbox, """
import mmap, os, time
with open("/dev/zero", "r+b") as zero:
    hoard = mmap.mmap(zero.fileno(), 200 * 2**20)
for at in range(0, len(hoard), 4096):
    hoard[at] = 1
time.sleep(30)
""", memory_bytes=64 * MiB)
        wait_for(process.memory_exceeded, "the memory limit")

    def test_is_killed_by_a_32_bit_system_call(self, sandbox, stage, compile_c):
        program = compile_c('int main(void) { __asm__ volatile("int $0x80" : : "a"(20)); return 0; }')
        with sandbox.start(stage(["./program"], {"program": program})) as process:
            assert process.wait(60) == 128 + 31  # SIGSYS

    def test_may_have_a_command_that_does_not_exist(self, sandbox, stage):
        with sandbox.start(stage(["./missing"])) as process:
            output = collect(process, 60, max_stdout=100, stderr_kept=1000)
            assert process.wait(60) == 127
        assert b"missing" in output.stderr

    @pytest.mark.parametrize(("program", "command", "name", "source"), [
        pytest.param("node", ["node", "bot.js"], "bot.js", "console.log(6 * 7)", marks=pytest.mark.thorough),
        pytest.param("java", ["java", "Bot.java"], "Bot.java",
                     "class Bot { public static void main(String[] a) { System.out.println(6 * 7); } }",
                     marks=pytest.mark.thorough),
        ("sh", ["sh", "bot.sh"], "bot.sh", "echo $((6 * 7))"),
    ])
    def test_may_be_written_in(self, sandbox, stage, program, command, name, source):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
        with sandbox.start(stage(command, {name: source})) as process:
            output = collect(process, 60, max_stdout=1000, stderr_kept=10_000)
        assert output.stdout == b"42\n", output.stderr


class TestTheEndOfABot:
    DAEMON = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
ours, theirs = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.fork()
    os.write(theirs, b".")
    time.sleep(600)
os.read(ours, 1), os.read(ours, 1)
print("ready")
time.sleep(600)
"""

    @pytest.fixture
    def orphaned(self, start, monkeypatch):
        """Return a function that starts a bot whose process 1 outlives bubblewrap, and kills bubblewrap."""
        whole = bubblewrap.arguments
        monkeypatch.setattr(bubblewrap, "arguments",
                            lambda *args, **kwargs: whole(*args, **kwargs).replace(b"--die-with-parent\0", b""))

        def orphaned(sandbox):
            process = start(sandbox, self.DAEMON)
            assert first_line(process) == "ready"
            pids = _below(process.pid)
            os.kill(process.pid, signal.SIGKILL)
            process._popen.wait(60)
            return process, pids

        return orphaned

    @pytest.mark.cgroup2
    def test_removes_every_process_the_cgroup_and_the_slot(self, standard, start):
        process = start(standard, self.DAEMON)
        assert first_line(process) == "ready"
        directories = [Path(directory) for directory in process._group.directories]
        pids = set().union(*(_pids(directory) for directory in directories))
        assert len(pids) >= 4
        slot = process._slot.number
        process.kill()
        assert not any(directory.exists() for directory in directories)
        assert not any(_alive(pid) for pid in pids)
        following = start(standard, "input()")
        assert following._slot.number == slot

    def test_removes_every_process_without_a_cgroup(self, reduced, start):
        process = start(reduced, self.DAEMON)
        assert first_line(process) == "ready"
        pids = _below(process.pid)
        assert len(pids) >= 3
        process.kill()
        wait_for(lambda: not any(map(_alive, pids)), "the end of every process")

    def test_may_be_requested_twice_and_right_after_the_start(self, sandbox, start):
        process = start(sandbox, "input()")
        process.kill()
        process.kill()
        assert process.exit_status() is not None

    @pytest.mark.cgroup2
    def test_reaches_a_sandbox_that_outlives_bubblewrap(self, sandbox, start, orphaned):
        process, pids = orphaned(sandbox)
        assert any(map(_alive, pids))
        process.kill()
        assert not any(map(_alive, pids))

    def test_follows_if_the_memory_monitor_loses_bubblewrap(self, reduced, start, orphaned):
        process, pids = orphaned(reduced)
        wait_for(process.memory_exceeded, "the memory limit")
        wait_for(lambda: not any(map(_alive, pids)), "the end of every process")

    @pytest.mark.cgroup2
    def test_kills_all_other_processes_of_its_uid(self, sandbox, start):
        if os.geteuid() != 0:
            pytest.skip("only root can give each bot its own uid")
        process = start(sandbox, "input()")
        with subprocess.Popen(["sleep", "60"], user=process._slot.uid) as elsewhere:
            process.kill()
            assert elsewhere.wait(60) == -signal.SIGKILL

    @pytest.mark.cgroup2
    def test_reaches_a_frozen_bot(self, standard, start):
        process = start(standard, "print(1)\nwhile True: pass")
        first_line(process)
        process.freeze()
        process.kill()
        assert process.cpu_seconds() > 0

    def test_closes_every_file(self, sandbox, start):
        before = len(list(Path("/proc/self/fd").iterdir()))
        start(sandbox, "input()").kill()
        assert len(list(Path("/proc/self/fd").iterdir())) == before

    @pytest.mark.parametrize("end", ["stdin", "stdout"])
    def test_is_not_needed_to_detect_a_closed_pipe(self, sandbox, start, end):
        process = start(sandbox, f"import os, sys, time\nos.close(sys.{end}.fileno())\n"
                                 "print('.', file=sys.stderr)\ntime.sleep(60)")
        first_line(process, process.stderr)
        assert process.abandoned(getattr(process, end))
        assert not process.abandoned(process.stdout if end == "stdin" else process.stdin)

    def test_is_not_reported_while_a_child_holds_the_bots_pipe(self, sandbox, start):
        process = start(sandbox, "import os, subprocess, sys, time\nsubprocess.Popen(['sleep', '60'])\nos.close(1)\n"
                                 "print('.', file=sys.stderr)\ntime.sleep(60)")
        first_line(process, process.stderr)
        assert not process.abandoned(process.stdout)

    def test_returns_the_exit_status(self, sandbox, start):
        process = start(sandbox, "raise SystemExit(7)")
        assert process.wait(60) == 7

    def test_is_no_crash_of_the_bot_if_bubblewrap_was_killed(self, sandbox, start):
        process = start(sandbox, "print(1); input()")
        first_line(process)
        os.kill(process.pid, 9)
        with pytest.raises(SandboxError, match="bubblewrap"):
            process.wait(60)

    def test_is_no_crash_of_the_bot_if_bubblewrap_cannot_start(self, sandbox, stage):
        build = stage(["true"], {"extra": "x"})
        shutil.rmtree(build.path)
        with sandbox.start(build) as process, pytest.raises(SandboxError, match="before the bot"):
            process.wait(60)


@pytest.mark.cgroup2
class TestTheClockOfABot:
    def test_counts_children_without_a_waiting_parent(self, standard, start):
        process = start(standard, """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if os.fork() == 0:
    while time.process_time() < 0.3:
        pass
    os._exit(0)
try:
    os.wait()
except ChildProcessError:
    print("done")
input()
""")
        assert first_line(process) == "done"
        assert process.cpu_seconds() >= 0.3

    def test_runs_on_at_most_one_core(self, standard, start):
        process = start(standard, "import os; print(len(os.sched_getaffinity(0))); input()")
        cores = len(os.sched_getaffinity(0))
        # With a core number below the count of cores, a bot has that core alone; other bots may run during this test.
        assert first_line(process) == str(1 if process._slot.number < cores else cores)
        names = ("cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.max")  # the last one has both, in version 2
        words = [(directory / name).read_text() for name in names for directory in map(Path, process._group.directories)
                 if (directory / name).exists()]
        quota, period = " ".join(words).split()
        assert quota == period

    def test_stops_while_it_is_frozen(self, standard, start):
        process, readings = start(standard, "print(1)\nwhile True: pass"), []
        first_line(process)
        process.freeze()

        def stands_still():
            readings.append(process.cpu_seconds())
            return readings[-10:] == readings[-1:] * 10

        wait_for(stands_still, "the end of its work")
        process.thaw()
        wait_for(lambda: process.cpu_seconds() > readings[-1], "work after the thaw")

    def test_does_not_exist_without_a_cgroup(self, reduced, start):
        process = start(reduced, "input()")
        process.freeze()
        process.thaw()
        assert process.cpu_seconds() is None


class TestARefereeThatDoesNotRead:
    def test_never_blocks_on_a_bot_that_does_not_read(self, sandbox, start):
        process = start(sandbox, "import time; time.sleep(60)")
        os.write(process.stdin, bytes(2**20))  # more than fits into the pipe
        with pytest.raises(BlockingIOError):
            os.write(process.stdin, b"x")
        with pytest.raises(BlockingIOError):
            os.read(process.stdout, 1)

    @pytest.mark.cgroup2
    def test_has_more_slots_than_it_needs(self, standard, stage):
        build = stage(["sleep", "60"])
        processes = [standard.start(build, limits=Limits()) for _ in range(8)]
        assert len({process._slot.uid for process in processes}) == 8
        for process in processes:
            process.kill()


def _pids(group):
    return {int(pid) for pid in (group / "cgroup.procs").read_text().split()}


def _alive(pid):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def _below(pid):
    from engines.sandbox.processes.watch import descendants

    return set(descendants(pid))
