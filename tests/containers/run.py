"""Starts the whole Compose file in real containers, and tests it.

    python tests/containers/run.py [pytest arguments]

Needs root, Debian 12, and the packages that `selftest --only containers` installs. Two processes in namespaces of
their own do the work: the first builds the images, with this machine's network; the second runs the tests, with none.
When such a process ends, its kernel namespaces end, and with them all its processes, mounts, networks and rules of the
firewall. Images and layers are cached in ~/.cache/squarefield/containers.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.containers import groups

ROOT: Final = Path(__file__).resolve().parents[2]
CANNOT: Final = 77
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "squarefield" / "containers"
_PROGRAMS: Final = ("/usr/sbin/dockerd", "/usr/bin/docker", "/usr/bin/docker-compose", "mmdebstrap", "iptables", "ip")
_APART: Final = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
_BUILD_SECONDS: Final = 1500
_TEST_SECONDS: Final = 900
_END_SECONDS: Final = 30


def main(arguments: Sequence[str]) -> int:
    """Build and test. Returns 0 if all passed, and CANNOT if this machine has no container engine."""
    if reason := refused():
        sys.stdout.write(f"The containers cannot be tested here: {reason}.\n")
        return CANNOT
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sqc-") as name, without_cgroups(Path(name).name):
        environment = {**os.environ, "SQUAREFIELD_CONTAINERS_DATA": str(CACHE / "docker"),
                       "SQUAREFIELD_CONTAINERS_SCRATCH": name}
        build = [sys.executable, "-m", "tests.containers.images", str(CACHE), name]
        if status := apart(build, environment, _BUILD_SECONDS):
            return status
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--durations=12",
                  *(arguments or ["tests/containers"])]
        return apart(["sh", "-c", 'ip link set lo up && exec "$@"', "-", *pytest], environment, _TEST_SECONDS, "--net")


def refused() -> str:
    """Return why this machine cannot run the tests; empty if it can."""
    if os.geteuid() != 0:
        return "they need root"
    missing = [program for program in _PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"{', '.join(missing)} missing"
    done = subprocess.run([*_APART, "--net", "sh", "-c", "ip link add probe type bridge && iptables -t nat -L -n"],
                          capture_output=True, text=True, check=False)
    return f"no bridges or firewall in a network namespace ({done.stderr.strip()})" if done.returncode else ""


def apart(command: Sequence[str], environment: dict[str, str], seconds: float, *namespaces: str) -> int:
    """Run a command in namespaces of its own, and end everything in them. Return its exit status."""
    with subprocess.Popen([*_APART, *namespaces, *command], cwd=ROOT, env=environment,
                          stdin=subprocess.DEVNULL) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            sys.stdout.write(f"The containers took longer than {seconds:.0f} s.\n")
            return 1
        finally:
            # Its child, the first process of the namespaces, dies with it, and everything else with that.
            process.kill()


@contextmanager
def without_cgroups(name: str) -> Iterator[None]:
    """At the end, remove the containers' cgroups, and let everything in them die; engine.py gives them this parent."""
    try:
        yield
    finally:
        until = time.monotonic() + _END_SECONDS
        while any(Path("/sys/fs/cgroup").glob(f"*/{name}")) and time.monotonic() < until:
            groups.thaw(name)
            groups.remove(name)
            time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
