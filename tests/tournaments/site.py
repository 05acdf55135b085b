"""The service's processes, for tests that play matches."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from tests import databases
from tests.waiting import PATIENCE_SECONDS, wait_for
from tournaments.models import Attempt, Event
from tournaments.models.lifecycle import AttemptStatus, EventStatus
from tournaments.setup.bootstrap.children import Child, tied_to_parent

__all__ = ["PATIENCE_SECONDS", "Site", "environment", "finished", "process_of", "running_attempt"]
ROOT = Path(__file__).resolve().parents[2]
Value = TypeVar("Value")


def environment(redis_url: str) -> dict[str, str]:
    """Return the environment for `[sys.executable, "manage.py", …]` processes on this process's database."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tournaments.settings",
        "DATABASE_URL": databases.url(),
        "REDIS_URL": redis_url,
        "SQUAREFIELD_NO_BOOTSTRAP": "1",
        # The tests' bots are their own, so they also run on a machine without cgroups.
        "SQUAREFIELD_ALLOW_REDUCED": "1",
        "PYTHONPATH": str(ROOT),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }


class Site:
    """The service's processes for one test, with the test's own database and broker."""

    def __init__(self, environment: dict[str, str], logs: Path) -> None:
        self.environment = environment
        self.logs = logs
        self.children: list[Child] = []

    def start(self, command: str, *arguments: str, before: Sequence[str] = ()) -> Child:
        """Start the command, as an argument of the command `before` if that is given."""
        log = self.logs / f"{command}-{len(self.children)}.log"
        child = Child(tied_to_parent([*before, sys.executable, "manage.py", command, *arguments]), log,
                      env=self.environment, cwd=ROOT)
        child.start()
        self.children.append(child)
        return child

    def stop(self) -> None:
        for child in self.children:
            child.ask_to_stop()
        for child in self.children:
            child.stop()

    def wait_for(self, condition: Callable[[], Value], what: str = "what the test expects of the site") -> Value:
        return wait_for(condition, what, explain=lambda: "\n".join(
            f"{child.log.name}:\n{child.log_tail(30)}" for child in self.children))


def finished(*events: Event) -> bool:
    return not Event.objects.filter(pk__in=[event.pk for event in events]).exclude(status=EventStatus.FINISHED).exists()


def running_attempt(event: Event, number: int = 1) -> Attempt | None:
    return Attempt.objects.filter(match__event=event, status=AttemptStatus.RUNNING, number=number).first()


def process_of(attempt: Attempt) -> int:
    """Id of the process that plays the attempt."""
    return int(attempt.worker.rsplit(":", 1)[1])
