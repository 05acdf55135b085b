"""Simulate a fleet of thousands of slots on this machine: real coordinator, broker and database, matches that sleep.

    python tests/bench/simulation/fleet.py [--slots 1000] [--minutes 4] [--hosts 10] [--bots 100] [--calm] [--keep DIR]

Each host is a process whose slots claim, send heartbeats and finish through the service's own verbs, and sleep instead
of playing (tests/bench/simulation/host.py): --mean seconds on average, by a gamma distribution. After a warm-up, the
fleet runs undisturbed for a while; then all hosts lose their connections at once, the database restarts, and a rack
with a fifth of the slots is killed and does not return. At the end nothing may be lost or done twice.

The database does not wait for the disk (fsync is off). Exit status 1 if a match was lost or done twice, or if there
were more connections than --connections.
"""

import itertools
import json
import os
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.bench.common import Site, options_of, quantile, site, start
from tests.bench.simulation.accounts import notes, settle, times
from tests.bench.simulation.sights import Sights

RACK: Final = 0.2
# Parts of the time after the warm-up at which each mass event happens.
COURSE: Final = (("reconnect", 0.4), ("restart", 0.6), ("rack", 0.8))


def main() -> None:
    options = options_of(
        __doc__, slots=(1000, "matches at a time"), minutes=(4.0, "minutes after the start of the hosts"),
        hosts=(10, "processes that the slots are divided among"), mean=(60.0, "mean seconds per match"),
        bots=(100, "entrants of the round-robin"), coordinators=(1, "number of coordinators"),
        connections=(60, "most connections to the database"), calm=(False, "no mass events"),
        keep=(Path, "new directory for the logs and the measurements, by default removed"))
    if options.keep:
        options.keep.mkdir(parents=True)
    with site(scratch=options.keep) as made:
        sys.exit(Run(options, made).run())


class Run:
    """The site, its hosts, the mass events, and the report."""

    def __init__(self, options: Namespace, made: Site) -> None:
        self.options, self.scratch, self.redis, self.server = options, made.scratch, made.redis, made.server
        self.coordinators: list[Any] = []
        self.hosts: list[Any] = []
        self.sights = Sights(lambda: {"coordinator": pids(self.coordinators), "hosts": pids(self.hosts),
                                      "database": pids([made.server.child]), "redis": pids([made.redis.child])})

    def run(self) -> int:
        """Run the course and report; return the exit status."""
        options = self.options
        row_bytes, before = self.fill()
        self.coordinators = [start(self.scratch / f"coordinator-{number}.log", "manage.py", "coordinator")
                             for number in range(options.coordinators)]
        each, rest = divmod(options.slots, options.hosts)
        self.hosts = [start(self.scratch / f"host-{number}.log", "tests/bench/simulation/host.py", f"host-{number}",
                            each + (number < rest), options.mean, self.scratch / f"host-{number}.jsonl")
                      for number in range(options.hosts)]
        self.sights.start()
        try:
            self.wait_for_hosts()
            phases = self.course()
        finally:
            self.stop_hosts()
            self.sights.stop()
        self.wait_for_leases()
        for coordinator in self.coordinators:
            coordinator.stop()
        return self.report(phases, row_bytes, before)

    # --- the course -------------------------------------------------------------------------------------------------

    def fill(self) -> tuple[float, int]:
        """Start a round-robin with enough matches; return bytes per queued match, and the size of the database."""
        from tests.factories import make_event, make_version
        from tournaments.models import Match

        options = self.options
        versions = [make_version(f"bot {number}") for number in range(options.bots)]
        empty = size()
        wanted = options.slots * (1 + 1.2 * options.minutes * 60 / options.mean)
        cycles = -(-int(wanted) // (options.bots * (options.bots - 1) // 2))
        began = time.monotonic()
        make_event(versions, name="Fleet", ruleset="square-grid-hex", size=7, cycles=cycles)
        matches, full = Match.objects.count(), size()
        print(f"{matches:,} matches of {options.bots} bots, created in {time.monotonic() - began:.0f} s", flush=True)
        return (full - empty) / matches, full

    def wait_for_hosts(self) -> None:
        """Wait until every host has declared itself."""
        from tournaments.models import Worker

        while Worker.objects.count() < self.options.hosts:
            if any(host.process.poll() is not None for host in self.hosts):
                sys.exit(f"a host has ended at once; see its log:\n{self.hosts[0].log_tail()}")
            time.sleep(0.5)

    def course(self) -> list[tuple[str, float]]:
        """Let the fleet play, with the mass events; return the phases with their beginnings, and the end."""
        began = time.time()
        total = self.options.minutes * 60
        warm = min(self.options.mean, total / 4)
        phases = [("warm-up", began), ("undisturbed", began + warm)]
        for name, part in () if self.options.calm else COURSE:
            time.sleep(max(0.0, began + warm + part * (total - warm) - time.time()))
            phases.append((name, time.time()))
            getattr(self, name)()
        time.sleep(max(0.0, began + total - time.time()))
        return [*phases, ("end", time.time())]

    def reconnect(self) -> None:
        """Cut the connections of all hosts to the database and to Redis at the same instant."""
        import redis as client
        from django.db import connection

        with client.Redis(unix_socket_path=str(self.redis.socket)) as broker, connection.cursor() as cursor:
            broker.client_kill_filter(_type="normal", skipme=True)
            cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE %s",
                           ["squarefield host %"])

    def restart(self) -> None:
        """Restart the database."""
        from django.db import connection

        connection.close()
        self.server.stop()
        self.server.start()

    def rack(self) -> None:
        """Kill the hosts of a fifth of the slots, and start none of them again."""
        for host in self.hosts[:max(1, round(RACK * self.options.hosts))]:
            host.kill()

    def stop_hosts(self) -> None:
        for host in self.hosts:
            host.ask_to_stop()
        for host in self.hosts:
            host.stop(300)

    def wait_for_leases(self) -> None:
        """Wait until the coordinator has requeued what killed hosts had claimed."""
        from django.conf import settings

        from tournaments.models import Match

        deadline = time.monotonic() + 3 * settings.LEASE_SECONDS
        while Match.objects.filter(status="running").exists() and time.monotonic() < deadline:
            time.sleep(1)

    # --- the report -------------------------------------------------------------------------------------------------

    def report(self, phases: list[tuple[str, float]], row_bytes: float, before: int) -> int:
        found = notes(sorted(self.scratch.glob("host-*.jsonl")))
        lines = []
        print(f"{self.options.slots} slots on {self.options.hosts} hosts, mean {self.options.mean:g} s; "
              f"load average {os.getloadavg()[0]:.1f}\n\n"
              "| phase | s | matches/s | claim p50 | p95 s | end p95 s | queue age p50 | p95 s | heartbeat p95 | "
              "renewal p95 s |\n|---|---|---|---|---|---|---|---|---|---|")
        for (name, begin), (_, end) in itertools.pairwise(phases):
            these = times(found, begin, end)
            lines.append({"phase": name, "seconds": end - begin, "matches/s": len(these["finish"]) / (end - begin),
                          **{f"{what} p{part}": quantile(these[what], part / 100)
                             for what, parts in (("claim", (50, 95)), ("finish", (95,)), ("age", (50, 95)),
                                                 ("beat", (95,)), ("renew", (95,))) for part in parts}})
            print("| " + " | ".join(str(round(value, 3)) if isinstance(value, float) else value
                                    for value in lines[-1].values()) + " |")
        most = self.report_sights(phases)
        lost, twice, sentence = settle(found)
        games = 2 * sum(what == "finish" for what, *_ in found)
        growth = (row_bytes * games / 2 + size() - before) / max(games, 1)
        print(f"database: {size() / 1e6:.0f} MB; {growth / 1000:.2f} GB per million games")
        faults = sum(what == "fault" for what, *_ in found)
        print(f"{sentence}; {faults} faults noted by hosts\n{lost} lost, {twice} done twice")
        (self.scratch / "measured.json").write_text(json.dumps({"phases": lines, "sights": self.sights.rows,
                                                                "options": vars(self.options), "lost": lost,
                                                                "twice": twice}, default=str))
        return int(lost > 0 or twice > 0 or most > self.options.connections)

    def report_sights(self, phases: list[tuple[str, float]]) -> int:
        """Print processor time and connections while undisturbed; return the most connections of the whole run."""
        name, begin = phases[1]
        end = phases[2][1]
        calm = [row for row in self.sights.rows if begin <= row["time"] < end]
        if len(calm) > 1:
            first, last = calm[0], calm[-1]
            seconds = last["time"] - first["time"]
            print(f"processor time while {name}, in cores: " + ", ".join(
                f"{kind} {(busy - first['busy'].get(kind, 0)) / seconds:.2f}" for kind, busy in last["busy"].items()))
        seen = [row["connections"] for row in self.sights.rows if "connections" in row]
        fullest = max(seen, key=lambda row: sum(row.values()), default={})
        print(f"connections, at most: {sum(fullest.values())} {fullest}")
        return sum(fullest.values())


def pids(children: list[Any]) -> list[int]:
    """Return the process IDs of those that run."""
    return [child.process.pid for child in children if child.process is not None]


def size() -> int:
    """Return the bytes of the database."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    main()
