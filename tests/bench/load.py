"""What a site gives with 200 workers and 2,000 people on it, what gives way first, and how it comes back.

    python tests/bench/load.py [--users 2000] [--workers 200] [--seconds 90] [--herd restart|flush]

A PostgreSQL, a Redis, `manage.py web` and `manage.py coordinator` of its own, on this machine and over the loopback
alone. The people are locust's (tests/bench/browsing.py, requirements/load.txt, installed into a temporary environment).
The workers are threads that claim, hold and finish matches and play nothing (tests/bench/load_workers.py). Half way,
`--herd restart` kills the web processes and starts them again before everybody's eyes; `--herd flush` restarts Redis,
empty. At the end nothing may be lost: every match that a worker finished is finished, by one attempt, and every write
that was answered with 201 is there.
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
# Everybody arrives within so many seconds, which are not counted.
ARRIVAL_SECONDS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=2000, help="people and programs that browse (default 2,000)")
    parser.add_argument("--workers", type=int, default=200, help="matches that are played at a time (default 200)")
    parser.add_argument("--seconds", type=int, default=90, help="how long (default 90, and at most 180)")
    parser.add_argument("--herd", choices=["restart", "flush"], help="what happens half way")
    parser.add_argument("--connections", type=int, default=300, help="PostgreSQL's max_connections (default 300)")
    parser.add_argument("--bots", type=int, default=1000, help="bots there are, at least 100 (default 1,000)")
    parser.add_argument("--games", type=int, default=40_000, help="games there have been (default 40,000)")
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
        # The tokens of everybody who writes are made by this process.
        logging.getLogger("squarefield.security").setLevel("WARNING")
        call_command("migrate", verbosity=0)
        Bench(options, Path(scratch), redis, server).run()


class Bench:
    """The site, who is on it, and what is seen of it meanwhile."""

    def __init__(self, options: argparse.Namespace, scratch: Path, redis: Any, server: Any) -> None:
        self.options, self.scratch, self.redis, self.server = options, scratch, redis, server
        self.sights: list[dict[str, float]] = []
        # One that nobody has: the server would share another's, and that one would get half of the crowd.
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.over = threading.Event()

    def run(self) -> None:
        """Build the site up, let everybody in, look, and count."""
        plan = self.fill()
        python = self.locust_python()
        web = self.start_web()
        coordinator = self.child("coordinator", sys.executable, "manage.py", "coordinator")
        each = -(-self.options.workers // PROCESSES)
        workers = [self.child(f"work-{part}", sys.executable, "tests/bench/load_workers.py", part,
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
        """A site with a past and a big event that begins; returns the plan of what is looked at."""
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
        """Make everybody come back at once."""
        if self.options.herd == "restart":
            web.kill()
            web.start()
        else:
            self.redis.kill()
            for file in self.redis.directory.rglob("*.aof*"):
                file.unlink()
            self.redis.start()

    # --- who is on it -----------------------------------------------------------------------------------------------

    def locust_python(self) -> Path:
        """A Python with the packages of requirements/load.txt, which would change how ours reads and writes."""
        uv, directory = ROOT / ".venv-tools/bin/uv", self.scratch / "locust"
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, directory], check=True)
        python = directory / "bin/python"
        subprocess.run([uv, "pip", "sync", "--quiet", "--require-hashes", "--python", python,
                        ROOT / "requirements/load.txt"], check=True)
        return python

    def wait_for_workers(self) -> None:
        """Return when each has said that it lives."""
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

    # --- what is seen -----------------------------------------------------------------------------------------------

    def watch(self, children: dict[str, Any]) -> None:
        """Once a second: connections, what is resident in memory, load, processor time."""
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
        """Rates and times of each kind, and a line of time; returns how many were answered, those of arrival too."""
        lines = [line.split() for line in (self.scratch / "asked").read_text().splitlines()]
        rows = [(float(when), kind, float(ms), int(status)) for when, kind, ms, status in lines]
        counted = [row for row in rows if row[0] >= began + ARRIVAL_SECONDS]
        seconds = max(row[0] for row in counted) - began - ARRIVAL_SECONDS
        print(f"{self.options.users} users, {self.options.workers} workers, {seconds:.0f} s, load average "
              f"{os.getloadavg()[0]:.1f}; {len(counted) / seconds:.0f} requests a second")
        print(f"{'':8} {'a second':>9} {'p50 ms':>8} {'p95':>8} {'p99':>8} {'most':>8}   statuses")
        for kind in sorted({row[1] for row in counted}):
            mine = [row for row in counted if row[1] == kind]
            times = sorted(row[2] for row in mine)
            p50, p95, p99 = (times[min(int(share * len(times)), len(times) - 1)] for share in (0.5, 0.95, 0.99))
            print(f"{kind:8} {len(mine) / seconds:9.1f} {p50:8.0f} {p95:8.0f} {p99:8.0f} {times[-1]:8.0f}   "
                  f"{dict(Counter(row[3] for row in mine))}")
        spans: dict[int, list[tuple[float, str, float, int]]] = defaultdict(list)
        for row in rows:
            spans[int((row[0] - began) // 5)].append(row)
        print("from second: asked a second, p50 ms, refused (5xx), not answered")
        for span, those in sorted(spans.items()):
            mark = " < the herd" if herd is not None and span == int((herd - began) // 5) else ""
            print(f"{span * 5:6} {len(those) / 5:8.0f} {statistics.median(row[2] for row in those):8.0f} "
                  f"{sum(row[3] >= 500 for row in those):6} {sum(row[3] == 0 for row in those):6}{mark}")
        return sum(row[3] > 0 for row in rows)

    def report_sights(self, began: float, answered: int) -> None:
        """What was seen; processor time is of no use where web processes were killed, and theirs with them."""
        first = next(sight for sight in self.sights if sight["time"] >= began)
        last = self.sights[-1]
        seconds = last["time"] - first["time"]
        for name in sorted(first):
            if name.endswith("CPU"):
                busy = last[name] - first[name]
                each = busy / max(answered, 1) * 1000
                print(f"{name}: {busy / seconds:.2f} of a core, {each:.1f} ms for each answer")
            elif name != "time":
                values = [sight[name] for sight in self.sights]
                print(f"{name}: most {max(values):.0f}, median {statistics.median(values):.0f}")

    def report_rows(self) -> None:
        """Whether anything was lost or done twice."""
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
        print(f"matches: {len(finished)} finished, {len(said)} by the workers' word, {len(set(said) - finished)} lost, "
              f"{len(said) - len(set(said))} twice, {len(wrong)} without exactly one attempt and two games")
        print(f"attempts void: {matches.filter(attempts__status='void').count()}; workers' faults: {dict(faults)}")
        print(f"writes: {len(written)} answered with 201, {len(lost)} lost, {Team.objects.count()} teams")


def processes(pid: int) -> Iterator[int]:
    """A process and all below it."""
    yield pid
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from processes(int(child))
    except FileNotFoundError:
        return


def cpu(pid: int) -> float:
    """Processor seconds of a process and its children, living and dead."""
    total = 0
    for one in processes(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            continue
        total += sum(map(int, fields[11:15] if one == pid else fields[11:13]))
    return total / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """MiB of a process and its children, counted once where they share."""
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
