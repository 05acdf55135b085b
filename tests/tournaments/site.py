"""The service's processes, for tests that play matches."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tournaments.models import Event
from tournaments.models.lifecycle import EventStatus
from tournaments.setup.bootstrap.children import Child, tied_to_parent

ROOT = Path(__file__).resolve().parents[2]
# A hundred times what an idle machine needs; a condition that takes longer has failed.
PATIENCE_SECONDS = 180


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
            child.stop()

    def wait_for(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            assert time.monotonic() < deadline, "\n".join(f"{c.log.name}:\n{c.log_tail(30)}" for c in self.children)
            time.sleep(0.05)


def finished(*events: Event) -> bool:
    return not Event.objects.filter(pk__in=[event.pk for event in events]).exclude(status=EventStatus.FINISHED).exists()
