"""Measure what an idle site uses: CPU by kind of process, of a web process, two coordinators and three workers.

    python tests/bench/workers/idle.py [--seconds 60] [--before CHECKOUT]

Each site has its own PostgreSQL and Redis, and no work. With --before, the site of an older checkout is measured in the
same minute, so that both have the same machine. The limit is 2 % of one core for all processes together.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.bench.common import ROOT, cpu, options_of, servers, start

LIMIT = 2.0
# The processes have started when none of the sites uses more than this share of a core for this time.
SETTLED, SETTLED_SECONDS = 0.5, 15
STARTED = time.monotonic()


def main() -> None:
    options = options_of(__doc__, seconds=(60, "length of the measurement"),
                         before=(Path, "checkout of an older release to measure at the same time"))
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
    with servers(SQUAREFIELD_ALLOW_REDUCED="1") as made, ExitStack() as stack:
        environment, manage = os.environ | made.environment, checkout / "manage.py"
        subprocess.run([sys.executable, manage, "migrate", "--verbosity", "0"], check=True, env=environment,
                       cwd=checkout)
        children: list[Any] = []
        found = {"PostgreSQL": [made.server.pid], "Redis": [made.redis.pid]}
        for number, words in enumerate((["web", "--port", free_port()], *[["coordinator"]] * 2,
                                        *[["worker", "--concurrency", "1"]] * 3)):
            child = start(made.scratch / f"{number}.log", manage, *words, env=environment, cwd=checkout)
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
    """Return the CPU seconds of each kind of process, with everything below it."""
    return {kind: sum(map(cpu, pids)) for kind, pids in processes.items()}


if __name__ == "__main__":
    main()
