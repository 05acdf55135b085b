"""The service's processes as an operator runs them: a supervisor restarts each one a second after it ends."""

import os
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from socket import socket

from engines.sandbox.isolation.slots import COUNT
from tests.faults.backend import Backend, apart
from tests.faults.machinery.groups import Groups
from tests.ports import reserve_port
from tournaments.setup.bootstrap.children import Child, tied_to_parent
from tournaments.setup.bootstrap.environment import NO_BOOTSTRAP, ROOT

LEASE_SECONDS = 10
# Users for this run's bots alone, so that their processes can be identified.
UID_BASE = 300_000 + os.getpid() % 1000 * COUNT
RESTART_SECONDS = 1.0


class Service:
    """A process that is restarted whenever it ends, until it is stopped."""

    def __init__(self, name: str, child: Child) -> None:
        self.name = name
        self.child = child
        self.starts = 0
        self._ended_at: float | None = None
        self.child.start()

    @property
    def pid(self) -> int:
        """Return the process's id."""
        return self.child.pid

    @property
    def alive(self) -> bool:
        """Return whether the process is running."""
        return self.child.process is not None and self.child.process.poll() is None

    def supervise(self) -> None:
        """Restart the process if it ended long enough ago."""
        if self.alive:
            return
        if self._ended_at is None:
            self._ended_at = time.monotonic()
        elif time.monotonic() - self._ended_at >= RESTART_SECONDS:
            # Kill the rest of its process group, as systemd does.
            self.child.kill()
            self.child.start()
            self.starts += 1
            self._ended_at = None

    def log(self) -> str:
        """Return the complete log."""
        return self.child.log.read_text(errors="replace")


class FaultSite:
    """Web, coordinators and workers that use a backend's servers."""

    def __init__(self, backend: Backend, database_url: str, logs: Path) -> None:
        self.backend = backend
        self.logs = logs
        self.groups = Groups()
        self.services: list[Service] = []
        # Prefix for every command.
        self.within: list[str] = []
        # Further resources that a fault has set up.
        self.undo = ExitStack()
        self.host, self.port = "127.0.0.1", reserve_port()
        self.environment = {
            **apart(), "DATABASE_URL": database_url, "REDIS_URL": backend.redis.url, NO_BOOTSTRAP: "1",
            "DJANGO_SETTINGS_MODULE": "tournaments.settings", "PYTHONPATH": str(ROOT),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "TMPDIR": str(backend.temporary), "SQUAREFIELD_VAR": str(backend.root / "var"),
            "SQUAREFIELD_ARCHIVES": str(backend.archives), "SQUAREFIELD_SECRET_KEY": "of no use outside the tests",
            "SQUAREFIELD_SANDBOX_UID_BASE": str(UID_BASE), "SQUAREFIELD_LEASE_SECONDS": str(LEASE_SECONDS),
            "SQUAREFIELD_OFFICIAL_SECONDS": "1", "SQUAREFIELD_API_UPLOADS": "100000",
            "SQUAREFIELD_API_SIGNED_IN": "100000", "SQUAREFIELD_ALLOW_REDUCED": "1",
        }

    def start(self, command: str, *words: str, environment: Mapping[str, str] | None = None) -> Service:
        """Start one more process of this kind."""
        name = f"{command}-{len(self.services)}"
        child = Child(tied_to_parent([*self.groups.prefix, *self.within, sys.executable, "manage.py", command, *words]),
                      self.logs / f"{name}.log", env={**self.environment, **(environment or {})}, cwd=ROOT)
        service = Service(name, child)
        self.services.append(service)
        return service

    def start_web(self) -> Service:
        """Start a web process on `port`."""
        return self.start("web", "--port", str(self.port), "--processes", "1")

    def of(self, command: str) -> list[Service]:
        """Return the processes of this kind."""
        return [service for service in self.services if service.name.startswith(f"{command}-")]

    def supervise(self) -> None:
        """Run one step of the supervisor."""
        for service in self.services:
            service.supervise()

    def is_up(self) -> bool:
        """Run one step of the supervisor, and return whether all processes are back and at work."""
        self.supervise()
        return all(service.alive for service in self.services) and all(
            f"worker-{worker.pid}@" in worker.log() for worker in self.of("worker")) and all(
            self._answers() for _ in self.of("web"))

    def _answers(self) -> bool:
        with socket() as caller:
            return caller.connect_ex((self.host, self.port)) == 0

    def stop(self, *services: Service, seconds: float = 120) -> None:
        """Stop these processes permanently with SIGTERM."""
        for service in services:
            service.child.ask_to_stop()
        for service in services:
            service.child.stop(seconds)
            self.services.remove(service)

    def close(self) -> None:
        """Stop all processes."""
        self.stop(*self.services)
        self.undo.close()

    def log_tails(self) -> str:
        """Return the ends of all logs, for debugging."""
        return "\n".join(f"--- {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:])
                         for log in sorted(self.logs.glob("*.log")))
