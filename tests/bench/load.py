"""Test a site under load with 200 workers and 2,000 users: throughput, first failures, and recovery.

    python tests/bench/load.py [--users 2000] [--workers 200] [--seconds 90] [--herd restart|flush]

Starts its own PostgreSQL, Redis, `manage.py web` and `manage.py coordinator` on this machine, over the loopback
interface only. locust simulates the users (tests/bench/browsing.py, requirements/load.txt, in a temporary environment).
The workers are threads that claim, hold and finish matches without playing (tests/bench/workers/load_workers.py). Half
way, `--herd restart` kills and restarts the web processes, or `--herd flush` restarts Redis without its data, while all
users keep sending requests. At the end nothing may be lost: every match that a worker finished must be finished, with
one counted attempt, and every write that was answered with 201 must be stored.
"""

import argparse
import json
import logging
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
EVENT_BOTS = 100
PROCESSES = 4
# All users arrive within this many seconds, which are not counted.
ARRIVAL_SECONDS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=2000, help="simulated people and programs (default 2,000)")
    parser.add_argument("--workers", type=int, default=200, help="concurrent matches (default 200)")
    parser.add_argument("--seconds", type=int, default=90, help="duration in seconds (default 90, at most 180)")
    parser.add_argument("--herd", choices=["restart", "flush"], help="disturbance half way: restart web or empty Redis")
    parser.add_argument("--connections", type=int, default=300, help="PostgreSQL's max_connections (default 300)")
    parser.add_argument("--bots", type=int, default=1000, help="number of bots, at least 100 (default 1,000)")
    parser.add_argument("--games", type=int, default=40_000, help="number of past games (default 40,000)")
    options = parser.parse_args()
    from tournaments.setup.embedded import EmbeddedRedis, TemporaryPostgres

    with tempfile.TemporaryDirectory(prefix="sqf-") as scratch, EmbeddedRedis() as redis, TemporaryPostgres() as server:
        server.run("psql", "-h", str(server.sockets), "-U", server.USER, "-d", server.DATABASE, "-c",
                   f"ALTER SYSTEM SET max_connections = {options.connections}")
        server.stop()
        server.start()
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournaments.settings")
        os.environ |= {"SQUAREFIELD_SECRET_KEY": "of no use", "SQUAREFIELD_VAR": scratch, "REDIS_URL": redis.url,
                       "SQUAREFIELD_NO_BOOTSTRAP": "1", "SQUAREFIELD_LOG_LEVEL": "WARNING", "SQUAREFIELD_PROXIES": "1",
                       "DATABASE_URL": server.url}
        import django
        from django.core.management import call_command

        django.setup()
        # This process creates the tokens of all writing users, which would fill the security log.
        logging.getLogger("squarefield.security").setLevel("WARNING")
        call_command("migrate", verbosity=0)
        Bench(options, Path(scratch), redis, server).run()


class Bench:
    """The site, its users and workers, and the measurements."""

    def __init__(self, options: argparse.Namespace, scratch: Path, redis: Any, server: Any) -> None:
        self.options, self.scratch, self.redis, self.server = options, scratch, redis, server
        self.sights: list[dict[str, float]] = []
        # A free port: the server would share a used one, whose other process would get half of the requests.
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.over = threading.Event()

    def run(self) -> None:
        """Set up the site, start workers and users, measure, and count."""
        plan = self.fill()
        python = self.locust_python()
        web = self.start_web()
        coordinator = self.child("coordinator", sys.executable, "manage.py", "coordinator")
        each = -(-self.options.workers // PROCESSES)
        workers = [self.child(f"work-{part}", sys.executable, "tests/bench/workers/load_workers.py", part,
                              min(each, self.options.workers - part * each)) for part in range(PROCESSES)]
        self.wait_for_workers()
        crowd = self.start_crowd(python, plan)
        watcher = threading.Thread(target=self.watch, args=({"web": web, "locust": crowd, "workers": workers},))
        watcher.start()
        began = time.time()
        try:
            if self.options.herd:
                time.sleep((self.options.seconds + ARRIVAL_SECONDS) / 2)
                herd = time.time()
                self.disturb(web)
            crowd.process.wait(timeout=self.options.seconds + ARRIVAL_SECONDS + 120)
        finally:
            self.over.set()
            watcher.join()
            for child in (crowd, *workers):
                child.ask_to_stop()
            for child in (crowd, *workers, web, coordinator):
                child.stop(60)
        answered = self.report_requests(began, herd if self.options.herd else None)
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

    def child(self, name: str, *command: object, env: dict[str, str] | None = None) -> Any:
        from tournaments.setup.bootstrap.children import Child, tied_to_parent

        child = Child(tied_to_parent([str(word) for word in command]), self.scratch / f"{name}.log",
                      env={**os.environ, **(env or {})}, cwd=ROOT)
        child.start()
        return child

    def start_web(self) -> Any:
        web = self.child("web", sys.executable, "manage.py", "web", "--port", self.port)
        web.wait_until(self.answers, seconds=600)
        return web

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

    def locust_python(self) -> Path:
        """Return a Python with the packages of requirements/load.txt, which would change this process's I/O."""
        uv, directory = ROOT / ".venv-tools/bin/uv", self.scratch / "locust"
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, directory], check=True)
        python = directory / "bin/python"
        subprocess.run([uv, "pip", "sync", "--quiet", "--require-hashes", "--python", python,
                        ROOT / "requirements/load.txt"], check=True)
        return python

    def wait_for_workers(self) -> None:
        """Wait until each worker has sent a heartbeat."""
        from tournaments.models import Worker

        while Worker.objects.count() < self.options.workers:
            time.sleep(0.5)

    def start_crowd(self, python: Path, plan: Path) -> Any:
        seconds = min(self.options.seconds, 180) + ARRIVAL_SECONDS
        return self.child(
            "locust", python, "-m", "locust", "-f", "tests/bench/browsing.py", "--headless", "--only-summary",
            "--host", f"http://127.0.0.1:{self.port}", "-u", self.options.users,
            "-r", self.options.users / ARRIVAL_SECONDS, "-t", f"{seconds}s", "--stop-timeout", "35",
            env={"BROWSING_PLAN": str(plan), "BROWSING_LOG": str(self.scratch / "asked")})

    # --- measurements -----------------------------------------------------------------------------------------------

    def watch(self, children: dict[str, Any]) -> None:
        """Record connections, resident memory, load and processor time once a second."""
        from django.db import connection

        with connection.cursor() as cursor:
            while not self.over.wait(1):
                cursor.execute("SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity "
                               "WHERE backend_type = 'client backend'")
                connections, active = cursor.fetchone()
                sight = {"time": time.time(), "connections": connections, "active": active, "load": os.getloadavg()[0]}
                for name, child in children.items():
                    pids = [one.pid for one in (child if isinstance(child, list) else [child]) if one.process]
                    sight[f"{name} MiB"] = sum(resident(pid) for pid in pids)
                    sight[f"{name} CPU"] = sum(cpu(pid) for pid in pids)
                sight["database CPU"] = cpu(self.server.pid)
                self.sights.append(sight)
        connection.close()

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
            times = sorted(row[2] for row in mine)
            p50, p95, p99 = (times[min(int(share * len(times)), len(times) - 1)] for share in (0.5, 0.95, 0.99))
            print(f"{kind:8} {len(mine) / seconds:10.1f} {p50:8.0f} {p95:8.0f} {p99:8.0f} {times[-1]:8.0f}   "
                  f"{dict(Counter(row[3] for row in mine))}")
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
        first = next(sight for sight in self.sights if sight["time"] >= began)
        last = self.sights[-1]
        seconds = last["time"] - first["time"]
        for name in sorted(first):
            if name.endswith("CPU"):
                busy = last[name] - first[name]
                each = busy / max(answered, 1) * 1000
                print(f"{name}: {busy / seconds:.2f} of one core, {each:.1f} ms per response")
            elif name != "time":
                values = [sight[name] for sight in self.sights]
                print(f"{name}: most {max(values):.0f}, median {statistics.median(values):.0f}")

    def report_rows(self) -> None:
        """Print whether anything was lost or done twice."""
        from django.db.models import Count, Q

        from tournaments.models import Event, Match, Team

        matches = Match.objects.filter(event=Event.objects.get(name="Live"))
        finished = set(matches.filter(status="finished").values_list("pk", flat=True))
        said: list[int] = []
        faults: Counter[str] = Counter()
        for part in range(PROCESSES):
            told = json.loads((self.scratch / f"work-{part}.json").read_text())
            said += told["finished"]
            faults.update(told["faults"])
        counted = matches.annotate(counted=Count("attempts", filter=Q(attempts__status="counted"), distinct=True),
                                   played=Count("games", distinct=True))
        wrong = [match.pk for match in counted.filter(pk__in=finished) if (match.counted, match.played) != (1, 2)]
        written = set((self.scratch / "asked.written").read_text().split("\n")) - {""}
        lost = written - set(Team.objects.values_list("name", flat=True))
        print(f"matches: {len(finished)} finished, {len(said)} reported by workers, {len(set(said) - finished)} lost, "
              f"{len(said) - len(set(said))} twice, {len(wrong)} without exactly one attempt and two games")
        print(f"attempts void: {matches.filter(attempts__status='void').count()}; workers' faults: {dict(faults)}")
        print(f"writes: {len(written)} answered with 201, {len(lost)} lost, {Team.objects.count()} teams")


def processes(pid: int) -> Iterator[int]:
    """Yield a process and all its descendants."""
    yield pid
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from processes(int(child))
    except FileNotFoundError:
        return


def cpu(pid: int) -> float:
    """Return the CPU seconds of a process and its children, living and dead."""
    total = 0
    for one in processes(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            continue
        total += sum(map(int, fields[11:15] if one == pid else fields[11:13]))
    return total / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Return the MiB of a process and its children, counting shared memory once."""
    total = 0
    for one in processes(pid):
        try:
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        total += next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return total / 1024


if __name__ == "__main__":
    main()
