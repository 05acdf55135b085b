"""Visitors of a site over HTTP, for tests of upgrades and restores."""

import itertools
import json
import threading
import urllib.request
from collections.abc import Sequence

from django.utils import timezone

from tests.factories import make_user
from tests.ports import reserve_port
from tests.tournaments.site import Site
from tests.waiting import PATIENCE_SECONDS, wait_for
from tournaments.services.accounts.tokens import make_token


def start_web(site: Site, *, processes: int = 1) -> str:
    """Start `manage.py web` and return its address as soon as it answers."""
    port = reserve_port()
    address = f"http://127.0.0.1:{port}"
    # The visitors send more requests than people do, and download nothing.
    site.environment |= {"SQUAREFIELD_API_ANONYMOUS": "1000000", "SQUAREFIELD_API_SIGNED_IN": "1000000",
                         "SQUAREFIELD_DOWNLOADS": str(site.logs)}
    child = site.start("web", "--port", str(port), "--processes", str(processes))
    wait_for(lambda: _answers(address), "an answer of the web server", explain=lambda: child.log_tail(30))
    return address


def _answers(address: str) -> bool:
    try:
        return _ask(f"{address}/health/live") == 200
    except OSError:
        return False


def _ask(request: urllib.request.Request | str) -> int:
    # Raises HTTPError with the answer if its status is 400 or higher.
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - our own address
        answer.read()
        return int(answer.status)


class Visitor(threading.Thread):
    """Repeats a visit until stopped; `done` lists the results of the visits, `refusal` is the error, if any."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.done: list[str] = []
        self.refusal: Exception | None = None
        self._over = threading.Event()

    def visit(self, number: int) -> str:
        """Make the visit of this number, from 0, and return its result."""
        raise NotImplementedError

    def run(self) -> None:
        try:
            for number in itertools.count():
                self.done.append(self.visit(number))
                if self._over.wait(0.05):
                    return
        except Exception as error:  # noqa: BLE001 - `leave` raises it
            self.refusal = error

    def leave(self) -> None:
        """Stop, and raise the error, if any."""
        self._over.set()
        self.join()
        if self.refusal is not None:
            raise self.refusal


class Reader(Visitor):
    """Reads the given pages of the site in turn."""

    def __init__(self, address: str, paths: Sequence[str]) -> None:
        super().__init__()
        self.address = address
        self.paths = paths

    def visit(self, number: int) -> str:
        path = self.paths[number % len(self.paths)]
        _ask(self.address + path)
        return path


class Author(Visitor):
    """Creates teams through the API; `done` lists the names of teams that the site confirmed."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        # Each user may create twenty teams.
        self.tokens = [make_token(user=make_user(f"author {number}"), name="teams", now=timezone.now())[1]
                       for number in range(100)]

    def visit(self, number: int) -> str:
        name = f"Team {number}"
        _ask(urllib.request.Request(  # noqa: S310 - our own address
            f"{self.address}/api/teams/", json.dumps({"name": name}).encode(), method="POST",
            headers={"Authorization": f"Bearer {self.tokens[number // 20]}", "Content-Type": "application/json"}))
        return name
