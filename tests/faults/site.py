"""The service's processes as an operator runs them: each restarted by a supervisor, a second after it has ended."""

import os
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from socket import socket

from engines.sandbox.isolation.slots import COUNT
from tests.faults.ground import Ground, apart
from tests.faults.machinery.groups import Groups
from tournaments.setup.bootstrap.children import Child, tied_to_parent
from tournaments.setup.bootstrap.environment import NO_BOOTSTRAP, ROOT

LEASE_SECONDS = 10
# Users of this run's own for its bots, to know them by.
UID_BASE = 300_000 + os.getpid() % 1000 * COUNT
RESTART_SECONDS = 1.0


class Service:
    """One process that is started again whenever it ends, until it is dismissed."""

    def __init__(self, name: str, child: Child) -> None:
        self.name = name
        self.child = child
        self.starts = 0
        self._ended_at: float | None = None
        self.child.start()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self.child.pid

    @property
    def alive(self) -> bool:
        """Whether it runs at the moment."""
        return self.child.process is not None and self.child.process.poll() is None

    def tend(self) -> None:
        """Start it again when it has ended long enough ago."""
        if self.alive:
            return
        if self._ended_at is None:
            self._ended_at = time.monotonic()
        elif time.monotonic() - self._ended_at >= RESTART_SECONDS:
            # What is left of its group, as systemd does.
            self.child.kill()
            self.child.start()
            self.starts += 1
            self._ended_at = None

    def log(self) -> str:
        """All that it has said."""
        return self.child.log.read_text(errors="replace")


class FaultSite:
    """Web, coordinators and workers on a ground's servers."""

    def __init__(self, ground: Ground, database_url: str, logs: Path) -> None:
        self.ground = ground
        self.logs = logs
        self.groups = Groups()
        self.services: list[Service] = []
        # Words before every command.
        self.within: list[str] = []
        # What a fault has set up besides.
        self.undo = ExitStack()
        self.host, self.port = "127.0.0.1", _free_port()
        self.environment = {
            **apart(), "DATABASE_URL": database_url, "REDIS_URL": ground.redis.url, NO_BOOTSTRAP: "1",
            "DJANGO_SETTINGS_MODULE": "tournaments.settings", "PYTHONPATH": str(ROOT),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "TMPDIR": str(ground.temporary), "SQUAREFIELD_VAR": str(ground.root / "var"),
            "SQUAREFIELD_ARCHIVES": str(ground.archives), "SQUAREFIELD_SECRET_KEY": "of no use outside the tests",
            "SQUAREFIELD_SANDBOX_UID_BASE": str(UID_BASE), "SQUAREFIELD_LEASE_SECONDS": str(LEASE_SECONDS),
            "SQUAREFIELD_OFFICIAL_SECONDS": "1", "SQUAREFIELD_API_UPLOADS": "100000",
            "SQUAREFIELD_API_SIGNED_IN": "100000",
        }

    def start(self, command: str, *words: str, environment: Mapping[str, str] | None = None) -> Service:
        """Have one more process of this kind."""
        name = f"{command}-{len(self.services)}"
        child = Child(tied_to_parent([*self.groups.prefix, *self.within, sys.executable, "manage.py", command, *words]),
                      self.logs / f"{name}.log", env={**self.environment, **(environment or {})}, cwd=ROOT)
        service = Service(name, child)
        self.services.append(service)
        return service

    def start_web(self) -> Service:
        """Have a web process on `port`."""
        return self.start("web", "--port", str(self.port), "--processes", "1")

    def of(self, command: str) -> list[Service]:
        """The processes of this kind."""
        return [service for service in self.services if service.name.startswith(f"{command}-")]

    def tend(self) -> None:
        """Be the supervisor for a moment."""
        for service in self.services:
            service.tend()

    def is_up(self) -> bool:
        """Whether all that was killed is back and at work; the supervisor's moment besides."""
        self.tend()
        return all(service.alive for service in self.services) and all(
            f"worker-{worker.pid}@" in worker.log() for worker in self.of("worker")) and all(
            self._answers() for _ in self.of("web"))

    def _answers(self) -> bool:
        with socket() as caller:
            return caller.connect_ex((self.host, self.port)) == 0

    def dismiss(self, *services: Service, seconds: float = 120) -> None:
        """Stop these for good, in an orderly way."""
        for service in services:
            service.child.ask_to_stop()
        for service in services:
            service.child.stop(seconds)
            self.services.remove(service)

    def close(self) -> None:
        """Stop everything."""
        self.dismiss(*self.services)
        self.undo.close()

    def words(self) -> str:
        """The ends of all logs, for whoever has to find out."""
        return "\n".join(f"--- {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:])
                         for log in sorted(self.logs.glob("*.log")))


def _free_port() -> int:
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
