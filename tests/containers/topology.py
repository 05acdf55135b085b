"""The services of docker-compose.yml on a private engine, with its own networks and volumes."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from tests.containers import groups
from tests.containers.engine import Engine, run, tail
from tests.waiting import wait_for

ROOT: Final = Path(__file__).resolve().parents[2]
HERE: Final = Path(__file__).resolve().parent
PROJECT: Final = "squarefield"
ADDRESS: Final = "http://127.0.0.1:8000"
SERVERS: Final = ("caddy", "web", "coordinator", "worker", "postgres", "redis")
ONCE: Final = ("migrate", "roles")
IMAGES: Final = ("squarefield", "squarefield-worker", "squarefield-pgbouncer")
UID_BASE: Final = 600_000
UP_SECONDS: Final = 240
WAIT_SECONDS: Final = 120
_Found = TypeVar("_Found")


class Topology:
    """Starts the services, and says and does what an operator would: their states, logs, commands and deaths."""

    def __init__(self, engine: Engine, scratch: Path) -> None:
        self.engine = engine
        self.secrets = scratch / "secrets"
        self._parent = scratch.name
        self._settings = {
            "COMPOSE_PROJECT_NAME": PROJECT, "SQUAREFIELD_SECRETS": str(self.secrets),
            # Docker 20.10 does not know the default, and has no option of this kind; this one is given anyway.
            "SQUAREFIELD_WORKER_CGROUPS": "no-new-privileges",
            # A worker kills all processes of its bots' user IDs; others on this machine have other IDs.
            "SQUAREFIELD_SANDBOX_UID_BASE": str(UID_BASE),
            # The matches of a killed worker are replayed after this time.
            "SQUAREFIELD_LEASE_SECONDS": "10", "SQUAREFIELD_API_SIGNED_IN": "100000",
        }  # fmt: skip

    def up(self, *profiles: str, database: str = "postgres:5432", **settings: str) -> None:
        """Write the secrets, and start or change the services; return when all are healthy."""
        self._settings |= settings
        run(["sh", ".docker/secrets.sh", "--database", database, str(self.secrets)], dict(os.environ), 30, ROOT)
        try:
            self.compose(*(f"--profile={name}" for name in profiles), "up", "--detach", "--no-build",
                         seconds=UP_SECONDS)
            for service in (*SERVERS, *profiles):
                self.wait(service, "its health", lambda service=service: self.healthy(service))
        except Exception as error:
            raise AssertionError(f"{error}\n{self.report()}") from error

    def replace(self, tag: str) -> None:
        """Replace the site's services by images with this tag, one after the other, as docs/how-to/operator/upgrade.md.

        The images are the same ones: their order and their effect on what runs are tested, not another release.
        """
        for image in IMAGES:
            self.engine.docker("tag", image, f"{image}:{tag}")
        self._settings["SQUAREFIELD_TAG"] = tag
        for service in ONCE:
            self.compose("up", "--no-deps", "--no-build", service)
        for service in ("coordinator", "web", "worker"):
            self.compose("up", "--detach", "--no-deps", "--no-build", service)
            self.wait(service, "its health", lambda service=service: self.healthy(service))
            assert self.engine.docker("inspect", "--format={{.Config.Image}}", self.name(service)).strip().endswith(tag)

    def compose(self, *words: str, files: tuple[str, ...] = ("docker-compose.yml", "tests/containers/override.yml"),
                seconds: float = 120) -> str:
        """Run docker-compose, and return what it says."""
        command = ["/usr/bin/python3", str(HERE / "docker_compose.py"), *(f"--file={file}" for file in files), *words]
        return run(command, {**self.engine.environment, **self._settings}, seconds, ROOT)

    def within(self, service: str, *command: str, **environment: str) -> str:
        """Run a command in the service's container, and return its output."""
        options = [f"--env={name}={value}" for name, value in environment.items()]
        return self.engine.docker("exec", *options, self.name(service), *command)

    def kill(self, service: str) -> None:
        """Kill the container's first process, and wait until another one is healthy. Docker restarts the container."""
        before = self.state(service)["Pid"]
        # `docker kill` counts as a stop by the operator, after which Docker restarts nothing.
        os.kill(before, signal.SIGKILL)

        def restarted() -> bool:
            # Again and again: a worker may freeze another bot before the kernel has killed all its processes.
            groups.thaw(self._parent)
            return self.state(service)["Pid"] not in {0, before}

        self.wait(service, "its restart", restarted)
        self.wait(service, "its health", lambda: self.healthy(service))

    def healthy(self, service: str) -> bool:
        """Return whether the container runs, and its health check has succeeded since it started."""
        state = self.state(service)
        return bool(state["Running"]) and state.get("Health", {}).get("Status") == "healthy"

    def state(self, service: str) -> dict[str, Any]:
        """Return the container's state."""
        return dict(json.loads(self.engine.docker("inspect", "--format={{json .State}}", self.name(service))))

    def address(self, service: str, network: str) -> str:
        """Return the service's IP address in a network."""
        networks = json.loads(self.engine.docker("inspect", "--format={{json .NetworkSettings.Networks}}",
                                                 self.name(service)))
        return str(networks[f"{PROJECT}_{network}"]["IPAddress"])

    def logs(self, service: str) -> str:
        """Return everything that the service has printed."""
        return self.engine.docker("logs", self.name(service))

    def name(self, service: str) -> str:
        """Return the name of the service's container."""
        return f"{PROJECT}_{service}_1"

    def wait(self, service: str, what: str, ask: Callable[[], _Found], seconds: float = WAIT_SECONDS) -> _Found:
        """Ask until the answer is true, and return it; fail with the service's log after some time."""
        return wait_for(ask, f"{service}: {what}", seconds=seconds, explain=lambda: self.report(service))

    def report(self, *services: str) -> str:
        """Return the states of all containers, and the last lines of the logs of some, or of all."""
        said = [self.engine.docker("ps", "--all", "--format={{.Names}}: {{.Status}}")]
        known = {line.split(":")[0] for line in said[0].splitlines()}
        said += [f"== the log of {service}\n{tail(self.logs(service))}" for service in services or (*ONCE, *SERVERS)
                 if self.name(service) in known]
        return "\n".join(said)

    def audit(self, *events: str) -> str:
        """Check the promises about results in the database and for these events; return what does not hold."""
        url = self.secrets.joinpath("database_url_owner").read_text().strip()
        url = url.replace("@postgres:", f"@{self.address('postgres', 'data')}:")
        return run([sys.executable, "-m", "tests.containers.audit", *events],
                   {**os.environ, "DATABASE_URL": url}, WAIT_SECONDS, ROOT)
