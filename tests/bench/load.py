"""Test a site under load with 200 workers and 2,000 users: throughput, first failures, and recovery.

    python tests/bench/load.py [--users 2000] [--workers 200] [--seconds 90] [--herd restart|flush]

Starts its own PostgreSQL, Redis, `manage.py web` and `manage.py coordinator` on this machine, over the loopback
interface only. locust simulates the users (tests/bench/browsing.py, requirements/load.txt, in a temporary environment).
The workers are simulated hosts of two slots, which claim, hold and finish matches without playing
(tests/bench/simulation/host.py). Half way, `--herd restart` kills and restarts the web processes, or `--herd flush`
restarts Redis without its data, while all users keep sending requests. At the end nothing may be lost: every match that
a host finished must be finished, with one counted attempt, and every write that was answered with 201 must be stored.
"""

import json
import logging
import os
import socket
import statistics
import sys
import time
from argparse import Namespace
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.common import Site, options_of, python_with, quantile, site, start
from tests.bench.simulation.accounts import notes, settle
from tests.bench.simulation.sights import Sights

EVENT_BOTS = 100
# Processes with simulated hosts of two slots each, and the mean seconds of a match.
PROCESSES, SLOTS, MEAN = 4, 2, 10
# All users arrive within this many seconds, which are not counted.
ARRIVAL_SECONDS = 20


def main() -> None:
    options = options_of(
        __doc__, users=(2000, "simulated people and programs"), workers=(200, "concurrent matches"),
        seconds=(90, "duration in seconds, at most 180"),
        herd=(("none", "restart", "flush"), "disturbance half way: restart web or empty Redis"),
        connections=(300, "PostgreSQL's max_connections"), bots=(1000, "number of bots, at least 100"),
        games=(40_000, "number of past games"))
    with site(SQUAREFIELD_PROXIES="1") as made:
        from django.db import connection

        # This process creates the tokens of all writing users, which would fill the security log.
        logging.getLogger("squarefield.security").setLevel("WARNING")
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER SYSTEM SET max_connections = {options.connections}")
        connection.close()
        made.server.stop()
        made.server.start()
        Bench(options, made).run()


class Bench:
    """The site, its users and workers, and the measurements."""

    def __init__(self, options: Namespace, made: Site) -> None:
        self.options, self.scratch, self.redis, self.server = options, made.scratch, made.redis, made.server
        self.children: dict[str, list[Any]] = {"database": [self.server.child], "redis": [self.redis.child]}
        self.sights = Sights(lambda: {kind: [child.process.pid for child in children if child.process]
                                      for kind, children in self.children.items()})
        # A free port: the server would share a used one, whose other process would get half of the requests.
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])

    def run(self) -> None:
        """Set up the site, start workers and users, measure, and count."""
        plan = self.fill()
        # Its packages would change this process's input and output.
        python = python_with("requirements/load.txt", self.scratch / "locust")
        web = start(self.scratch / "web.log", "manage.py", "web", "--port", self.port)
        web.wait_until(self.answers, seconds=600)
        coordinator = start(self.scratch / "coordinator.log", "manage.py", "coordinator")
        hosts = max(1, self.options.workers // (PROCESSES * SLOTS))
        workers = [start(self.scratch / f"host-{part}.log", "tests/bench/simulation/host.py", f"host-{part}", SLOTS,
                         MEAN, self.scratch / f"host-{part}.jsonl", hosts) for part in range(PROCESSES)]
        self.wait_for_workers(hosts * PROCESSES)
        crowd = self.start_crowd(python, plan)
        self.children |= {"web": [web], "locust": [crowd], "hosts": workers, "coordinator": [coordinator]}
        self.sights.start()
        began = time.time()
        try:
            if self.options.herd != "none":
                time.sleep((self.options.seconds + ARRIVAL_SECONDS) / 2)
                herd = time.time()
                self.disturb(web)
            crowd.process.wait(timeout=self.options.seconds + ARRIVAL_SECONDS + 120)
        finally:
            self.sights.stop()
            for child in (crowd, *workers):
                child.ask_to_stop()
            for child in (crowd, *workers, web, coordinator):
                child.stop(60)
        answered = self.report_requests(began, herd if self.options.herd != "none" else None)
        self.report_sights(began, answered)
        self.report_rows()

    # --- the site ---------------------------------------------------------------------------------------------------

    def fill(self) -> Path:
        """Fill a site with past games and a large running event; return the plan of requests."""
        from django.contrib.auth.models import User
        from django.utils import timezone

        from tests.bench import scale
        from tournaments.models import Ladder, Version
        from tournaments.services.accounts.tokens import make_token
        from tournaments.services.events.events import create_event, start_event

        scale.load(self.options.bots, self.options.games)
        addresses = list(scale.addresses().values())
        now = timezone.now()
        versions = list(Version.objects.order_by("-pk")[:EVENT_BOTS])
        event = create_event(name="Live", ladder=Ladder.objects.get(), versions=versions, cycles=1, starts_at=now,
                             created_by=User.objects.get(pk=1), now=now, seed=1)
        start_event(event=event, now=now)
        tokens = [make_token(user=User.objects.create_user(f"writer {number}"), name="load", now=now)[1]
                  for number in range(self.options.users // 40)]
        plan = self.scratch / "plan.json"
        plan.write_text(json.dumps({
            "pages": [path for path in addresses if not path.startswith("/api/")] + [f"/events/{event.slug}/"] * 5,
            "api": [path for path in addresses if path.startswith("/api/")], "tokens": tokens,
            "live": f"/events/{event.slug}/live/"}))
        return plan

    def answers(self) -> bool:
        from urllib.request import urlopen

        try:
            with urlopen(f"http://127.0.0.1:{self.port}/health/live", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def disturb(self, web: Any) -> None:
        """Make all users reconnect at once."""
        if self.options.herd == "restart":
            web.kill()
            web.start()
        else:
            self.redis.kill()
            for file in self.redis.directory.rglob("*.aof*"):
                file.unlink()
            self.redis.start()

    # --- users and workers -------------------------------------------------------------------------------------------

    def wait_for_workers(self, hosts: int) -> None:
        """Wait until each host has sent a heartbeat."""
        from tournaments.models import Worker

        while Worker.objects.count() < hosts:
            time.sleep(0.5)

    def start_crowd(self, python: Path, plan: Path) -> Any:
        seconds = min(self.options.seconds, 180) + ARRIVAL_SECONDS
        return start(
            self.scratch / "locust.log", "-m", "locust", "-f", "tests/bench/browsing.py", "--headless",
            "--only-summary", "--host", f"http://127.0.0.1:{self.port}", "-u", self.options.users,
            "-r", self.options.users / ARRIVAL_SECONDS, "-t", f"{seconds}s", "--stop-timeout", "35", python=python,
            env={**os.environ, "BROWSING_PLAN": str(plan), "BROWSING_LOG": str(self.scratch / "asked")})

    # --- measurements -----------------------------------------------------------------------------------------------

    def report_requests(self, began: float, herd: float | None) -> int:
        """Print rates and times by kind and over time; return the number of responses, including the arrival phase."""
        lines = [line.split() for line in (self.scratch / "asked").read_text().splitlines()]
        rows = [(float(when), kind, float(ms), int(status)) for when, kind, ms, status in lines]
        counted = [row for row in rows if row[0] >= began + ARRIVAL_SECONDS]
        seconds = max(row[0] for row in counted) - began - ARRIVAL_SECONDS
        print(f"{self.options.users} users, {self.options.workers} workers, {seconds:.0f} s, load average "
              f"{os.getloadavg()[0]:.1f}; {len(counted) / seconds:.0f} requests per second")
        print(f"{'':8} {'per second':>10} {'p50 ms':>8} {'p95':>8} {'p99':>8} {'most':>8}   statuses")
        for kind in sorted({row[1] for row in counted}):
            mine = [row for row in counted if row[1] == kind]
            times = "".join(f"{quantile([row[2] for row in mine], share):9.0f}" for share in (0.5, 0.95, 0.99, 1.0))
            print(f"{kind:8} {len(mine) / seconds:10.1f}{times}   {dict(Counter(row[3] for row in mine))}")
        spans: dict[int, list[tuple[float, str, float, int]]] = defaultdict(list)
        for row in rows:
            spans[int((row[0] - began) // 5)].append(row)
        print("from second: requests per second, p50 ms, refused (5xx), without response")
        for span, those in sorted(spans.items()):
            mark = " < the herd" if herd is not None and span == int((herd - began) // 5) else ""
            print(f"{span * 5:6} {len(those) / 5:8.0f} {statistics.median(row[2] for row in those):8.0f} "
                  f"{sum(row[3] >= 500 for row in those):6} {sum(row[3] == 0 for row in those):6}{mark}")
        return sum(row[3] > 0 for row in rows)

    def report_sights(self, began: float, answered: int) -> None:
        """Print the measurements; processor time is meaningless if web processes were killed, since theirs is lost."""
        rows = [row for row in self.sights.rows if row["time"] >= began]
        first, last = rows[0], rows[-1]
        seconds = last["time"] - first["time"]
        for kind, total in sorted(last["busy"].items()):
            busy = total - first["busy"].get(kind, 0.0)
            print(f"{kind}: {busy / seconds:.2f} of one core, {busy / max(answered, 1) * 1000:.1f} ms per response")
        connections = [sum(row["connections"].values()) for row in rows if "connections" in row]
        print(f"connections to the database: most {max(connections)}; load average, most "
              f"{max(row['load'] for row in rows):.1f}")

    def report_rows(self) -> None:
        """Print whether anything was lost or done twice."""
        from tournaments.models import Team

        found = notes(sorted(self.scratch.glob("host-*.jsonl")))
        lost, twice, sentence = settle(found)
        faults = Counter(facts[0] for what, _, *facts in found if what == "fault")
        print(f"{sentence}\nmatches: {lost} lost, {twice} done twice; faults of hosts: {dict(faults)}")
        written = set((self.scratch / "asked.written").read_text().split("\n")) - {""}
        unwritten = written - set(Team.objects.values_list("name", flat=True))
        print(f"writes: {len(written)} answered with 201, {len(unwritten)} lost, {Team.objects.count()} teams")


if __name__ == "__main__":
    main()
