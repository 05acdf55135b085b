"""A private Docker daemon. It ends with the process that started it, and nothing else on this machine sees it."""

import os
import subprocess
import time
from pathlib import Path
from typing import Final, Self

# Debian's client: it builds with BuildKit without a plugin.
DOCKER: Final = "/usr/bin/docker"
DAEMON: Final = "/usr/sbin/dockerd"
_START_SECONDS: Final = 90
_STOP_SECONDS: Final = 60
_TAIL: Final = 60


class Engine:
    """A daemon with its images in `data` and its socket in `scratch`, in the namespaces of this process.

    Without `networks`, containers only use the network of this process, and its firewall is not changed.
    """

    def __init__(self, data: Path, scratch: Path, *, networks: bool) -> None:
        self._log = scratch / f"dockerd-{'run' if networks else 'build'}.log"
        self.environment = {**os.environ, "DOCKER_HOST": f"unix://{scratch / 'sock'}", "DOCKER_BUILDKIT": "1"}
        self._command = [
            DAEMON, "--data-root", str(data), "--exec-root", str(scratch / "exec"), "--pidfile", str(scratch / "pid"),
            "--host", self.environment["DOCKER_HOST"], "--bridge=none", "--storage-driver=overlay2",
            f"--cgroup-parent=/{scratch.name}", f"--iptables={networks}".lower(), "--ip6tables=false",
        ]  # fmt: skip

    def __enter__(self) -> Self:
        with self._log.open("wb") as log:
            self._daemon = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until = time.monotonic() + _START_SECONDS
        while subprocess.run([DOCKER, "version"], env=self.environment, capture_output=True, check=False).returncode:
            if self._daemon.poll() is not None or time.monotonic() > until:
                self.__exit__()
                raise EngineFailed("The Docker daemon does not start:\n" + tail(self._log.read_text(errors="replace")))
            time.sleep(0.2)
        return self

    def __exit__(self, *_: object) -> None:
        self._daemon.terminate()
        try:
            self._daemon.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._daemon.kill()
            self._daemon.wait()

    def docker(self, *words: str, seconds: float = 120) -> str:
        """Run a command of Docker's client, and return its output; raise with its last lines if it fails."""
        return run([DOCKER, *words], self.environment, seconds)


class EngineFailed(Exception):
    """A command of the engine failed."""


def run(command: list[str], environment: dict[str, str], seconds: float, directory: Path | None = None) -> str:
    """Run a command, and return its output and errors; raise with the last lines if it fails or takes too long."""
    with subprocess.Popen(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        try:
            said = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            raise EngineFailed(f"{' '.join(command)} took longer than {seconds:.0f} s:\n"
                               + tail(process.communicate()[0])) from None
    if process.returncode:
        raise EngineFailed(f"{' '.join(command)} failed:\n{tail(said)}")
    return said


def tail(text: str) -> str:
    """Return the last lines."""
    return "\n".join(text.splitlines()[-_TAIL:])
