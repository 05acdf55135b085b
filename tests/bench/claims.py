"""Measure matches claimed and finished per second, and whether the rate holds as the tables grow.

    python tests/bench/claims.py [--matches 4000] [--sizes 10000 1000000] [--target 400]

Uses its own PostgreSQL and Redis. Before each measurement, the tables are filled up to this many finished matches, each
with its attempt, two games and four sides. Then two processes claim and finish the matches of an event without
playing: the games were recorded before. First they take the ids in order; then the ids come through the real
dispatcher, the real broker and a real Celery worker.

It also prints the processor time per match of all processes together, including the database's. That does
not depend on other work on the machine: two otherwise idle cores handle 2 / this time matches per second.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.common import cpu, insert, parser_of, site, start

RULESET, SIZE = "square-grid-hex", 3
BOTS = 50
PROCESSES = 2


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--matches", type=int, default=4000, help="approximate number of matches (default 4000)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 1_000_000], help="earlier finished matches")
    parser.add_argument("--target", type=float, default=400.0, help="matches per second to compare with (default 400)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--take", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    if options.take:
        take(*options.take)
        return
    with site() as made:
        measure_all(options, made.scratch)


def measure_all(options: argparse.Namespace, scratch: Path) -> None:
    """Measure at every size; print each rate and its ratios to the target and the first size."""
    versions = make_versions()
    firsts: dict[str, float] = {}
    for size in options.sizes:
        began = time.monotonic()
        grow(size)
        print(f"{size:,} finished matches (filled in {time.monotonic() - began:.0f} s)", flush=True)
        for way, measure in (("claim and finish", directly), ("dispatch, broker, claim and finish", through_broker)):
            event = make_event(versions, options.matches, f"At {size}")
            rate, busy = measure(event, scratch)
            first = firsts.setdefault(way, rate)
            print(f"  {way:35} {rate:6.0f} per second, {rate / options.target:.2f} of {options.target:.0f}, "
                  f"{rate / first:.2f} of the first; {busy * 1000:.2f} ms of processor time: "
                  f"{PROCESSES / busy:.0f} per second on {PROCESSES} idle cores", flush=True)


def make_versions() -> list[Any]:
    from tests.factories import make_version

    return [make_version(f"bot {number}") for number in range(BOTS)]


def make_event(versions: list[Any], matches: int, name: str) -> Any:
    """Return a running round-robin with about this many matches."""
    from tests.factories import make_event

    cycles = max(1, round(matches / (BOTS * (BOTS - 1) / 2)))
    return make_event(versions, name=name, ruleset=RULESET, size=SIZE, cycles=cycles)


def directly(event: Any, scratch: Path) -> tuple[float, float]:
    """Let two processes share the event's matches; return matches per second and CPU seconds per match."""
    from tournaments.models import Match

    open_matches = Match.objects.filter(event=event, status__in=["queued", "running"])
    count = open_matches.count()
    workers = [start(scratch / f"direct-{part}.log", __file__, "--take", part, event.pk) for part in range(PROCESSES)]
    # The processes have started once some matches are finished; measure from then on.
    while (rest := open_matches.count()) > 0.95 * count:
        time.sleep(0.1)
    before = cpu(os.getpid())
    for worker in workers:
        worker.process.wait()
    return rate_of(event, count), (cpu(os.getpid()) - before) / rest


def through_broker(event: Any, scratch: Path) -> tuple[float, float]:
    """Let a Celery worker play the event; return the same numbers."""
    from django.utils import timezone

    from tournaments.models import Attempt, Match
    from tournaments.services.dispatch import publish_due

    open_matches = Match.objects.filter(event=event, status__in=["queued", "running"])
    count = open_matches.count()
    worker = start(scratch / "worker.log", __file__, "--serve")
    try:
        # The worker is starting until the first claim.
        while not Attempt.objects.filter(match__event=event).exists():
            publish_due(timezone.now())
            time.sleep(0.2)
        before = cpu(os.getpid())
        while open_matches.exists():
            publish_due(timezone.now())
            time.sleep(0.05)
        busy = cpu(os.getpid()) - before
    finally:
        worker.stop()
    return rate_of(event, count), busy / count


def rate_of(event: Any, count: int) -> float:
    """Return matches per second, from the first claim to the last end."""
    from django.db.models import Max, Min

    from tournaments.models import Attempt

    times = Attempt.objects.filter(match__event=event).aggregate(first=Min("started_at"), last=Max("ended_at"))
    return count / (times["last"] - times["first"]).total_seconds()


def take(part: int, event: int) -> None:
    """Claim and finish every second match of the event, as one of two processes."""
    play = player()
    from tournaments.models import Match

    for match_id in Match.objects.filter(event=event).order_by("pk").values_list("pk", flat=True)[part::PROCESSES]:
        play(match_id)


def serve() -> None:
    """Run the worker."""
    play = player()
    from tournaments.celery import app
    from tournaments.platform.messaging.queues import queue_of
    from tournaments.worker import worker

    worker.play = play
    app.worker_main(["--quiet", "worker", "--pool", "prefork", "--concurrency", str(PROCESSES), "--loglevel", "WARNING",
                     "--queues", queue_of(RULESET), "--without-gossip", "--without-mingle"])


def player() -> Callable[[int], None]:
    """Return a function that claims and finishes a match with previously recorded games."""
    import django

    django.setup()
    from django.utils import timezone

    from tests.factories import random_record
    from tournaments.models.leased import FULL_TIER
    from tournaments.services.matches.matches import claim, finish
    from tournaments.worker.database.metadata_cache import MetadataCache
    from tournaments.worker.database.plans import plan_once

    plan_once()
    records = [random_record(RULESET, SIZE, ("first", "second"), seed) for seed in (1, 2)]
    known = MetadataCache()

    def play(match_id: int) -> None:
        lease = claim(match_id=match_id, worker=f"bench:{os.getpid()}", tier=FULL_TIER, now=timezone.now())
        if lease is not None:
            # As a worker does before it plays.
            known.complete(lease.work)
            finish(lease, records, timezone.now())

    return play


# --- the rows -------------------------------------------------------------------------------------------------------


def grow(size: int) -> None:
    """Fill the tables up to this many finished matches of the first ladder."""
    from django.db import connection, transaction

    from tests.factories import START
    from tournaments.models import Attempt, Game, Ladder, Match, Side, Version
    from tournaments.services.ladders.ladders import create_ladder

    ladder = Ladder.objects.first() or create_ladder(ruleset=RULESET, size=SIZE, base_seconds=5.0,
                                                     increment_seconds=0.1)
    first, last = Match.objects.filter(event=None).count() + 1, size
    then = f"TIMESTAMPTZ '{START.isoformat()}'"
    versions = Version.objects.order_by("pk").values_list("pk", "bot")
    array = f"ARRAY[{', '.join(str(pk) for pk, _ in versions)}]::bigint[]"
    bots = f"ARRAY[{', '.join(str(bot) for _, bot in versions)}]::bigint[]"
    mine = f"{Match._meta.db_table} m WHERE m.event_id IS NULL AND m.number BETWEEN {first} AND {last}"
    with transaction.atomic(), connection.cursor() as cursor:
        # The generated rows are consistent, so foreign keys need no checks.
        cursor.execute("SET LOCAL session_replication_role = replica")
        insert(cursor, Match, f"generate_series({first}, {last}) AS n", kind="'ladder'", ladder=str(ladder.pk),
               created_at=then, first=f"({array})[n % {BOTS} + 1]", second=f"({array})[(n + 7) % {BOTS} + 1]",
               seed="n", ruleset=f"'{RULESET}'", status="'finished'", attempt="1", ended_at=then, number="n",
               rating_period="n / 500", published_at=then)
        insert(cursor, Attempt, mine, match="m.id", number="1", worker="'bench:1'", tier="'standard'",
               status="'counted'", started_at=then, ended_at=then)
        insert(cursor, Game, f"{Attempt._meta.db_table} a, generate_series(1, 2) AS k, {mine} AND a.match_id = m.id",
               match="m.id", number="k", attempt="a.id", seat0="CASE k WHEN 1 THEN m.first_id ELSE m.second_id END",
               seat1="CASE k WHEN 1 THEN m.second_id ELSE m.first_id END", winner="0", ended_by="'rule'",
               reason="'connection'", plies="9", record="'{}'", ended_at=then)
        insert(cursor, Side, f"{Game._meta.db_table} g, generate_series(0, 1) AS k, {mine} AND g.match_id = m.id",
               game="g.id", seat="k", bot=f"({bots})[(m.number + 7 * k) % {BOTS} + 1]",
               version="CASE k WHEN 0 THEN g.seat0_id ELSE g.seat1_id END",
               opponent=f"({bots})[(m.number + 7 * (1 - k)) % {BOTS} + 1]", ladder=str(ladder.pk), score="1 - k",
               at_fault="false")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


if __name__ == "__main__":
    main()
