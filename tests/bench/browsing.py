"""People before the site's pages and programs at its API, for tests/bench/load.py, which starts it under locust.

BROWSING_PLAN names a JSON file: `pages`, `live` and `api` are addresses, `tokens` those of people who write. What was
asked is written to BROWSING_LOG at the end, a line each: when, kind, milliseconds, status (0: no answer).
"""

import json
import os
import random
import time
from pathlib import Path
from typing import Any

from locust import FastHttpUser, between, constant_pacing, events, task

PLAN = json.loads(Path(os.environ["BROWSING_PLAN"]).read_text())
asked: list[tuple[float, str, float, int]] = []
written: list[str] = []


@events.request.add_listener
def note(name: str, response_time: float, response: Any, start_time: float, **_: Any) -> None:
    asked.append((start_time, name, response_time, getattr(response, "status_code", 0) or 0))


@events.quitting.add_listener
def hand_over(**_: Any) -> None:
    log = Path(os.environ["BROWSING_LOG"])
    log.write_text("".join(f"{began:.3f} {name} {ms:.1f} {status}\n" for began, name, ms, status in asked))
    log.with_suffix(".written").write_text("\n".join(written))


class Somebody(FastHttpUser):
    """Comes from an address of its own, by way of a proxy, and gives up after half a minute."""

    abstract = True
    connection_timeout = network_timeout = 30.0
    tags: dict[str, str]
    count = 0

    def on_start(self) -> None:
        Somebody.count += 1
        self.mine = {"X-Forwarded-For": f"10.{Somebody.count >> 16}.{Somebody.count >> 8 & 255}.{Somebody.count & 255}",
                     "Accept-Encoding": "gzip"}
        self.tags = {}

    def ask(self, kind: str, path: str) -> None:
        """As a browser and live.js do: what is known already is asked for by its tag."""
        known = {"If-None-Match": self.tags[path]} if path in self.tags else {}
        with self.client.get(path, name=kind, headers=self.mine | known, catch_response=True) as answer:
            if answer.status_code in {200, 304}:
                answer.success()
            if answer.headers and "ETag" in answer.headers:
                self.tags[path] = answer.headers["ETag"]


class Reader(Somebody):
    """Reads a page, thinks, reads another."""

    weight = 60
    wait_time = between(5, 25)

    @task
    def read(self) -> None:
        self.ask("page", random.choice(PLAN["pages"]))


class Watcher(Somebody):
    """Has a live page open, which asks every two seconds."""

    weight = 28
    wait_time = constant_pacing(2)

    @task
    def watch(self) -> None:
        self.ask("live", PLAN["live"])


class Program(Somebody):
    """Follows lists by the API."""

    weight = 10
    wait_time = between(5, 15)

    @task
    def follow(self) -> None:
        self.ask("api", random.choice(PLAN["api"]))


class Author(Somebody):
    """Writes by the API; a write that was not answered may have been done or not."""

    weight = 2
    wait_time = between(5, 15)

    def on_start(self) -> None:
        super().on_start()
        self.token = PLAN["tokens"].pop() if PLAN["tokens"] else None

    @task
    def write(self) -> None:
        if self.token is None:
            return
        name = f"Team {time.time_ns()}"
        headers = self.mine | {"Authorization": f"Bearer {self.token}"}
        with self.client.post("/api/teams/", json={"name": name}, name="write", headers=headers,
                              catch_response=True) as answer:
            if answer.status_code == 201:
                written.append(name)
                answer.success()
