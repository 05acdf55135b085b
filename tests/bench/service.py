"""Measure the games per minute of the whole service, and where the time goes.

    python tests/bench/service.py [--cycles 20] [--workers 2] [--postgres]

Six copies of `random` play Square Grid Hex 7×7 through coordinator, broker, worker processes, sandboxes and
database. Then one process plays a few of the same matches alone, with a timer on each part of its work.
"""

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.common import children_of, options_of, own_cpu, site, start

BOTS = 6


def main() -> None:
    options = options_of(
        __doc__, cycles=(20, "cycles of 15 matches with 30 games"), workers=(os.cpu_count(), "worker processes"),
        postgres=(False, "use a temporary PostgreSQL instead of SQLite"))
    with site(postgres=options.postgres) as made:
        service(options.cycles, options.workers, made.scratch)
        alone()


@contextmanager
def processes(slots: int, scratch: Path) -> Iterator[tuple[Any, Any]]:
    """Start a coordinator and a worker, yield both, and stop them."""
    with ExitStack() as running:
        children = []
        for words in (["coordinator"], ["worker", "--concurrency", slots]):
            children.append(start(scratch / f"{words[0]}.log", "manage.py", *words))
            running.callback(children[-1].stop)
        yield children[0], children[1]


def schedule(name: str, cycles: int) -> Any:
    """Schedule an event of the six bots that starts now."""
    from django.contrib.auth import get_user_model
    from django.utils import timezone

    from tournaments.models import Version
    from tournaments.services.bots.submissions import accept_upload
    from tournaments.services.events.events import create_event
    from tournaments.services.ladders.ladders import create_ladder
    from tournaments.worker.checks import check

    now = timezone.now()
    users = get_user_model().objects
    owner = users.filter(username="bench").first() or users.create_superuser("bench")
    if not Version.objects.exists():
        for number in range(BOTS):
            check(accept_upload(archive=copy_of_random(number), filename="random.zip", uploader=owner, now=now).pk)
    ladder = create_ladder(ruleset="square-grid-hex", size=7, base_seconds=10.0, increment_seconds=0.1)
    return create_event(name=name, ladder=ladder, versions=list(Version.objects.all()), cycles=cycles, starts_at=now,
                        created_by=owner, now=now, seed=1)


def copy_of_random(number: int) -> bytes:
    """Return the archive of `random` under another name."""
    import engines.bots
    from engines.sandbox.archives.unpack import pack

    with tempfile.TemporaryDirectory() as directory:
        for file in (Path(engines.bots.__file__).parent / "random").glob("*.*"):
            text = file.read_text().replace('name = "random"', f'name = "random {number}"')
            Path(directory, file.name).write_text(text)
        return pack(Path(directory))


def service(cycles: int, workers: int, scratch: Path) -> None:
    """Play an event with the real processes; print games per minute, and CPU per game by process."""
    from tournaments.models import Attempt, Game, Match
    from tournaments.models.lifecycle import AttemptStatus, EventStatus

    warm_up = schedule("Warming up", 1)
    with processes(workers, scratch) as (coordinator, worker):
        wait_for(warm_up, EventStatus.FINISHED)
        before = {name: without_bots(child.pid) for name, child in (("coordinator", coordinator), ("worker", worker))}
        began = time.monotonic()
        event = schedule("Bench", cycles)
        wait_for(event, EventStatus.FINISHED)
        seconds = time.monotonic() - began
        after = {name: without_bots(child.pid) for name, child in (("coordinator", coordinator), ("worker", worker))}
    games = Game.objects.filter(match__event=event)
    count = games.count()
    ours = {name: (after[name] - before[name]) / count * 1000 for name in after}
    void = Attempt.objects.filter(match__event=event, status=AttemptStatus.VOID).count()
    print(f"{count} games by {workers} workers in {seconds:.1f} s: {count / seconds * 60:.0f} games per minute; "
          f"{void} void attempts in {Match.objects.filter(event=event).count()} matches")
    print(f"CPU per game outside the bots: worker processes {ours['worker']:.1f} ms, "
          f"coordinator {ours['coordinator']:.1f} ms")


def without_bots(pid: int) -> float:
    """Return the CPU seconds of a process and its forks, without the bots below them."""
    return own_cpu(pid, *children_of(pid))


def wait_for(event: Any, status: str) -> None:
    while event.status != status:
        time.sleep(0.1)
        event.refresh_from_db()


def alone() -> None:
    """Play a cycle in this process, one match after another; print wall and CPU time by part."""
    from django.db import connection
    from django.utils import timezone

    from engines.sandbox import BotProcess, Sandbox
    from tournaments.coordinator.steps import start_due
    from tournaments.models import Game, Match
    from tournaments.worker import worker
    from tournaments.worker.database.matches import OwnMatches

    event = schedule("Alone", 1)
    start_due(timezone.now())
    matches = list(Match.objects.filter(event=event).values_list("pk", flat=True))
    wall: Counter[str] = Counter()
    own: Counter[str] = Counter()

    @contextmanager
    def timed(part: str) -> Iterator[None]:
        began, cpu_began = time.perf_counter(), time.thread_time()
        try:
            yield
        finally:
            wall[part] += time.perf_counter() - began
            own[part] += time.thread_time() - cpu_began

    def timing(part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed_call(*args: Any, **options: Any) -> Any:
            with timed(part):
                return call(*args, **options)

        return timed_call

    worker.this_process()
    Sandbox.start = timing("sandbox: start", Sandbox.start)  # type: ignore[method-assign]
    kill = timing("sandbox: kill", BotProcess.kill)
    bots = 0.0

    def kill_and_count(process: BotProcess) -> None:
        nonlocal bots
        kill(process)
        # None on a machine without cgroups.
        bots += process.cpu_seconds() or 0.0

    BotProcess.kill = kill_and_count  # type: ignore[method-assign]
    worker.play_game = timing("play_game", worker.play_game)
    OwnMatches.claim = timing("database", OwnMatches.claim)  # type: ignore[method-assign]
    OwnMatches.finish = timing("database", OwnMatches.finish)  # type: ignore[method-assign]
    with timed("all"):
        for match in matches:
            worker.play(match)
    connection.close()
    wall["referee and bots"], own["referee and bots"] = (
        times.pop("play_game") - times["sandbox: start"] - times["sandbox: kill"] for times in (wall, own))
    games = 2 * len(matches)
    records = Game.objects.filter(match__in=matches).values_list("record", flat=True)
    thinking = sum(turn["seconds"] for record in records for turn in record["turns"])
    print(f"One process alone, {games} games, per game in ms:")
    for part in ("all", "referee and bots", "sandbox: start", "sandbox: kill", "database"):
        print(f"  {part:20} wall {wall[part] / games * 1000:7.1f}   own CPU {own[part] / games * 1000:6.2f}")
    print(f"  the bots' CPU: starting {(bots - thinking) / games * 1000:.1f}, thinking {thinking / games * 1000:.1f}")


if __name__ == "__main__":
    main()
