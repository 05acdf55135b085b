""".docker/seccomp.json: a sandbox starts under it, and calls that the profile leaves out are denied."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROFILE = ROOT / ".docker" / "seccomp.json"
SANDBOX = [
    "bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--hostname", "bot",
    "--disable-userns", "--die-with-parent", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin",
    "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev",
    "--tmpfs", "/var", "--remount-ro", "/",
]  # fmt: skip
# Loads the profile as a container engine would, then executes the command.
LOADER = """
import json, os, sys
import pyseccomp
profile, left_out, command = json.load(open(sys.argv[1])), set(sys.argv[2].split()), sys.argv[3:]
actions = {"SCMP_ACT_ALLOW": pyseccomp.ALLOW}
comparisons = {"SCMP_CMP_EQ": pyseccomp.EQ, "SCMP_CMP_NE": pyseccomp.NE}
rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(profile["defaultErrnoRet"]))
for rule in profile["syscalls"]:
    arguments = [pyseccomp.Arg(arg["index"], comparisons[arg["op"]], arg["value"]) for arg in rule.get("args", [])]
    for name in set(rule["names"]) - left_out:
        if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) >= 0:
            rules.add_rule(actions[rule["action"]], name, *arguments)
rules.load()
os.execvp(command[0], command)
"""


def under_profile(*command: str, left_out: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command as in the worker's container: without root, capabilities and new privileges, under the profile."""
    program = [sys.executable, "-c", LOADER, str(PROFILE), left_out, *command]
    if os.geteuid() == 0:
        # Root mapped to nobody may still read the interpreter, wherever it is installed.
        program = ["unshare", "--user", "--map-user=65534", "--map-group=65534", *program]
    return subprocess.run(program, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


@pytest.mark.serial
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
class TestContainerProfile:
    def test_lets_a_sandbox_start(self) -> None:
        done = under_profile(*SANDBOX, "/usr/bin/python3", "-c", "print('inside')")
        assert (done.stdout, done.stderr) == ("inside\n", "")

    def test_needs_each_call_that_it_allows_for_sandboxes(self) -> None:
        for call in ("mount", "pivot_root", "sethostname", "umount2"):
            assert under_profile(*SANDBOX, "/bin/true", left_out=call).returncode != 0, call

    def test_denies_sockets_to_the_hypervisor(self) -> None:
        done = under_profile(sys.executable, "-c", "import socket; socket.socket(socket.AF_VSOCK)")
        assert "Function not implemented" in done.stderr

    def test_denies_calls_with_a_history_of_kernel_bugs(self) -> None:
        allowed = {name for rule in json.loads(PROFILE.read_text())["syscalls"] for name in rule["names"]}
        assert not allowed & {"add_key", "bpf", "init_module", "io_uring_setup", "keyctl", "kexec_load",
                              "perf_event_open", "reboot"}
