"""Processes of a whole site on one machine: broker, web, coordinator and workers, as children of the demo."""

import contextlib
import os
import socket
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from tournaments.setup.bootstrap.children import Child, tied_to_parent
from tournaments.setup.bootstrap.processes import SERVICES
from tournaments.setup.embedded import EmbeddedRedis

HOST = "127.0.0.1"


class CannotServe(Exception):
    """The site cannot be started; the message says what to do."""


def check_port(port: int) -> None:
    """Raise CannotServe if the port cannot be used."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise CannotServe(f"Cannot use port {port} ({error.strerror}). Stop the program that uses it, or choose "
                              f"another port: python3 manage.py demo --port {port + 1}") from None


@contextlib.contextmanager
def running_site(port: int, workers: int) -> Iterator[list[Child]]:
    """Start the same services as `docker compose up`, and stop them when the context ends."""
    logs = settings.VAR_DIR / "logs"
    logs.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        broker = stack.enter_context(EmbeddedRedis(_private_directory(settings.VAR_DIR / "redis")))
        children = [
            _service(logs, broker.url, "web", "--host", HOST, "--port", str(port)),
            _service(logs, broker.url, "coordinator"),
            _service(logs, broker.url, "worker", "--concurrency", str(workers)),
        ]
        for child in children:
            stack.enter_context(child)
        try:
            children[0].wait_until(lambda: _answers(port))
            yield children
        finally:
            for child in children:
                child.ask_to_stop()


def _service(logs: Path, redis_url: str, name: str, *arguments: str) -> Child:
    # The demo's bots are the operator's own, so its workers need no cgroups.
    environment = {"SQUAREFIELD_ALLOW_REDUCED": "1", **os.environ, "REDIS_URL": redis_url,
                   "SQUAREFIELD_NO_BOOTSTRAP": "1", "SQUAREFIELD_SECRET_KEY": settings.SECRET_KEY,
                   "SQUAREFIELD_PUSH_KEY": settings.PUSH_KEY}
    words = [sys.executable, str(settings.BASE_DIR / "manage.py"), *SERVICES[name], *arguments]
    return Child(tied_to_parent(words), logs / f"{name}.log", env=environment, cwd=settings.BASE_DIR)


def _private_directory(path: Path) -> Path:
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
