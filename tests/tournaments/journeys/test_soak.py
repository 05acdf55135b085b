"""A long run: two workers, whose processes are replaced all the time, play many matches, and nothing grows."""

import math
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection

from tests.faults.machinery.groups import Groups
from tests.tournaments.site import Site, finished
from tournaments.models import Attempt, Game, Match
from tournaments.models.lifecycle import AttemptStatus
from tournaments.operations.counts import reason_class
from tournaments.setup.bootstrap.children import Child

MATCHES = int(os.environ.get("SQUAREFIELD_SOAK_MATCHES", "2000"))
TASKS = 10
BOTS = 21
IN_A_CYCLE = BOTS * (BOTS - 1) // 2

pytestmark = [pytest.mark.needs_servers, pytest.mark.serial, pytest.mark.workers, pytest.mark.slow,
              pytest.mark.thorough, pytest.mark.timeout(4 * 3600)]


@pytest.fixture
def soaked(site: Site) -> Iterator[Site]:
    """The site's processes have a directory for temporary files of their own, which the users of bots can enter."""
    with tempfile.TemporaryDirectory(prefix="soak-") as temporary:
        Path(temporary).chmod(0o711)
        site.environment |= {"TMPDIR": temporary, "SQUAREFIELD_TASKS_PER_PROCESS": str(TASKS)}
        yield site
        site.stop()


@pytest.fixture
def groups() -> Iterator[Groups]:
    """The parents of the workers' cgroups: other workers may use this machine, too."""
    made = Groups()
    yield made
    made.remove()


def measured(site: Site, children: list[Child], groups: Groups) -> dict[str, int]:
    """Return what could grow: of the processes that run all the time, on the disk, in the kernel and in Redis."""
    found: dict[str, int] = {}
    for child in children:
        process, name = Path(f"/proc/{child.pid}"), child.log.stem
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        found[f"{name}: KiB"] = int(status["VmRSS"].split()[0])
        found[f"{name}: threads"] = int(status["Threads"])
        found[f"{name}: descriptors"] = len(list((process / "fd").iterdir()))
        found[f"{name}: processes"] = len((process / f"task/{child.pid}/children").read_text().split())
    found["cgroups"] = len(groups.left())
    temporary = Path(site.environment["TMPDIR"])
    found["temporary files"] = sum(1 for path in temporary.rglob("*") if "builds" not in path.parts)
    with Connection(site.environment["REDIS_URL"]) as broker:
        found["Redis keys"] = broker.default_channel.client.dbsize()
    return found


class TestTwoWorkers:
    def test_play_thousands_of_matches_in_processes_that_are_replaced_and_nothing_grows(
        self, groups: Groups, soaked: Site, hold: Any
    ) -> None:
        event = hold("Soak", BOTS, cycles=math.ceil(MATCHES / IN_A_CYCLE))
        total = Match.objects.filter(event=event).count() or math.ceil(MATCHES / IN_A_CYCLE) * IN_A_CYCLE
        workers = [soaked.start("worker", "--concurrency", "2", before=groups.prefix) for _ in range(2)]
        children = [soaked.start("coordinator"), *workers]
        samples: list[tuple[int, dict[str, int]]] = []
        while not finished(event):
            played = Attempt.objects.filter(status=AttemptStatus.COUNTED).count()
            if played >= (len(samples) + 1) * total // 10:
                samples.append((played, measured(soaked, children, groups)))
                print(f"{time.strftime('%H:%M:%S')} {played} of {total}: {samples[-1][1]}")  # noqa: T201 - for -s
            assert all(child.process and child.process.poll() is None for child in children), "one has ended"
            _assert_none_is_void_by_our_fault()
            time.sleep(1)
        _assert_none_is_void_by_our_fault()
        assert Game.objects.filter(event=event).count() == 2 * total
        processes = Attempt.objects.values("worker").distinct().count()
        assert processes >= total / TASKS / 2, "processes were not replaced"

        # The first third is for caches, which fill up.
        warm = [found for _, found in samples[2:5]]
        late = [found for _, found in samples[-3:]]
        replaced = processes * (1 - samples[2][0] / total) / len(children)
        for name in warm[0]:
            before, after = max(found[name] for found in warm), min(found[name] for found in late)
            # A leak for each process that was replaced, or each match, is larger than either.
            allowed = 0.1 * before if name.endswith("KiB") else replaced / 4
            assert after - before <= allowed, f"{name}: {[found[name] for _, found in samples]}"


def _assert_none_is_void_by_our_fault() -> None:
    void = Attempt.objects.filter(status=AttemptStatus.VOID).values_list("reason", flat=True)
    assert [reason for reason in void if reason_class(reason) != "starved"] == []
