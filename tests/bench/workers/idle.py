"""Measure what an idle site uses: CPU by kind of process, of a web process, two coordinators and three workers.

    python tests/bench/workers/idle.py [--seconds 60] [--before CHECKOUT]

Each site has its own PostgreSQL and Redis, and no work. With --before, the site of an older checkout is measured in the
same minute, so that both have the same machine. The limit is 2 % of one core for all processes together.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
LIMIT = 2.0
# The processes have started when none of the sites uses more than this share of a core for this time.
SETTLED, SETTLED_SECONDS = 0.5, 15
STARTED = time.monotonic()
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="length of the measurement (default 60)")
    parser.add_argument("--before", type=Path, help="checkout of an older release to measure at the same time")
    options = parser.parse_args()
    checkouts = {"now": ROOT} | ({"before": options.before.resolve()} if options.before else {})
    with ExitStack() as stack:
        sites = {name: stack.enter_context(site(checkout)) for name, checkout in checkouts.items()}
        settle(sites)
        before = {name: usage(processes) for name, processes in sites.items()}
        began = time.monotonic()
        time.sleep(options.seconds)
        seconds = time.monotonic() - began
        for name, processes in sites.items():
            after = usage(processes)
            shares = {kind: (after[kind] - before[name][kind]) / seconds * 100 for kind in processes}
            print(f"{name}: {sum(shares.values()):.2f} % of a core (limit {LIMIT:g} %), load {os.getloadavg()[0]:.1f}")
            for kind, share in shares.items():
                print(f"  {kind:12} {share:6.2f} %")


def settle(sites: Mapping[str, Mapping[str, list[int]]]) -> None:
    """Wait until all processes have started."""
    while True:
        before = {name: sum(usage(processes).values()) for name, processes in sites.items()}
        time.sleep(SETTLED_SECONDS)
        if all(sum(usage(processes).values()) - before[name] < SETTLED * SETTLED_SECONDS
               for name, processes in sites.items()) and time.monotonic() - STARTED > 3 * SETTLED_SECONDS:
            return


@contextmanager
def site(checkout: Path) -> Iterator[dict[str, list[int]]]:
    """Start the site of this checkout; yield the process IDs of its processes' roots by kind."""
    from tournaments.setup.bootstrap.children import Child, tied_to_parent
    from tournaments.setup.embedded import EmbeddedRedis, TemporaryPostgres

    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sqf-")))
        redis, postgres = stack.enter_context(EmbeddedRedis()), stack.enter_context(TemporaryPostgres())
        environment: Mapping[str, str] = os.environ | {
            "DJANGO_SETTINGS_MODULE": "tournaments.settings", "SQUAREFIELD_SECRET_KEY": "of no use",
            "SQUAREFIELD_VAR": str(scratch), "SQUAREFIELD_NO_BOOTSTRAP": "1", "SQUAREFIELD_LOG_LEVEL": "WARNING",
            "SQUAREFIELD_ALLOW_REDUCED": "1", "REDIS_URL": redis.url, "DATABASE_URL": postgres.url}
        command = [sys.executable, str(checkout / "manage.py")]
        subprocess.run([*command, "migrate", "--verbosity", "0"], check=True, env=environment, cwd=checkout)
        children: list[Child] = []
        found = {"PostgreSQL": [postgres.pid], "Redis": [redis.pid]}
        for number, words in enumerate((["web", "--port", str(free_port())], *[["coordinator"]] * 2,
                                        *[["worker", "--concurrency", "1"]] * 3)):
            child = Child(tied_to_parent([*command, *words]), scratch / f"{number}.log", env=environment, cwd=checkout)
            child.start()
            stack.callback(child.stop)
            children.append(child)
            found.setdefault(words[0], []).append(child.pid)
        yield found
        for child in children:
            if child.process is None or child.process.poll() is not None:
                raise SystemExit(child.log_tail(20))


def free_port() -> int:
    """Return a port on which nothing listens."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def usage(processes: Mapping[str, list[int]]) -> dict[str, float]:
    """Return the CPU seconds of each kind of process, with everything below it that still runs or was waited for."""
    parents: dict[int, tuple[int, float]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15])) / TICKS
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in parents.items():
        children.setdefault(parent, []).append(pid)

    def of(pid: int) -> float:
        return parents[pid][1] + sum(of(child) for child in children.get(pid, []))

    return {kind: sum(of(pid) for pid in pids) for kind, pids in processes.items()}


if __name__ == "__main__":
    main()
