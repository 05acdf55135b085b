"""Simulated readers of pages and users of the API for tests/bench/load.py, which runs this file with locust.

BROWSING_PLAN names a JSON file: `pages`, `live` and `api` are URL paths, `tokens` belong to users who write. Requests
are written to BROWSING_LOG at the end, one per line: time, kind, milliseconds, status (0: no response).
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


class Person(FastHttpUser):
    """A client with its own address behind a proxy, which gives up after half a minute."""

    abstract = True
    connection_timeout = network_timeout = 30.0
    tags: dict[str, str]
    count = 0

    def on_start(self) -> None:
        Person.count += 1
        self.mine = {"X-Forwarded-For": f"10.{Person.count >> 16}.{Person.count >> 8 & 255}.{Person.count & 255}",
                     "Accept-Encoding": "gzip"}
        self.tags = {}

    def ask(self, kind: str, path: str) -> None:
        """Send a request as a browser and live.js do: a known page is requested with its ETag."""
        known = {"If-None-Match": self.tags[path]} if path in self.tags else {}
        with self.client.get(path, name=kind, headers=self.mine | known, catch_response=True) as answer:
            if answer.status_code in {200, 304}:
                answer.success()
            if answer.headers and "ETag" in answer.headers:
                self.tags[path] = answer.headers["ETag"]


class Reader(Person):
    """A reader who opens a page, waits, and opens another."""

    weight = 60
    wait_time = between(5, 25)

    @task
    def read(self) -> None:
        self.ask("page", random.choice(PLAN["pages"]))


class Watcher(Person):
    """A reader with a live page open, which polls every two seconds."""

    weight = 28
    wait_time = constant_pacing(2)

    @task
    def watch(self) -> None:
        self.ask("live", PLAN["live"])


class Program(Person):
    """A program that follows lists through the API."""

    weight = 10
    wait_time = between(5, 15)

    @task
    def follow(self) -> None:
        self.ask("api", random.choice(PLAN["api"]))


class Author(Person):
    """An author who writes through the API; a write without a response may or may not have been done."""

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
