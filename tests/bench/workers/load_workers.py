"""Workers that do not play, for tests/bench/load.py, which runs `load_workers.py PART PLACES`.

Each of PLACES threads takes ids off the real queue and claims, holds and finishes matches with the service's own
verbs, with its own connections to both servers and a heartbeat every 10 s. At the end, the finished matches are written
to a file.
"""

import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
RULESET = "square-grid-hex"
# A match is held for this long; a real one takes longer, which puts less load on the database.
HELD_SECONDS = (5, 15)

def work(part: int, places: int) -> None:
    """Run this many workers of one match each until told to stop; then write down the finished matches."""
    import django

    django.setup()
    from tests.factories import random_record
    from tournaments.worker.database.plans import plan_once

    plan_once()
    records = [random_record(RULESET, 7, ("first", "second"), seed) for seed in (1, 2)]
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    finished: list[int] = []
    faults: Counter[str] = Counter()
    workers = [threading.Thread(target=Worker(f"load-{part}:{number}", records, stop, finished, faults).run)
             for number in range(places)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    Path(os.environ["SQUAREFIELD_VAR"], f"work-{part}.json").write_text(
        json.dumps({"finished": finished, "faults": faults}))


class Worker:
    """A worker that plays one match at a time."""

    def __init__(self, name: str, records: list[Any], stop: threading.Event, finished: list[int],
                 faults: "Counter[str]") -> None:
        self.name, self.records, self.stop, self.finished, self.faults = name, records, stop, finished, faults
        from tournaments.worker.database.metadata_cache import MetadataCache

        self.next_beat, self.known = 0.0, MetadataCache()

    def run(self) -> None:
        """Serve the queue; after a failure of Redis or the database, reconnect after a random delay."""
        from django.db import DatabaseError, InterfaceError, connection
        from kombu.exceptions import OperationalError
        from redis.exceptions import RedisError

        while not self.stop.is_set():
            try:
                self.serve()
            except (DatabaseError, InterfaceError, OperationalError, RedisError, OSError) as error:
                self.faults[f"{type(error).__name__}: {str(error)[:60]}"] += 1
                connection.close()
                self.stop.wait(random.uniform(0, 10))
        connection.close()

    def serve(self) -> None:
        from queue import Empty

        from tournaments.celery import app
        from tournaments.platform.messaging.queues import queue_of

        with app.connection_for_read() as broker:
            queue = broker.SimpleQueue(app.amqp.queues[queue_of(RULESET)])
            while not self.stop.is_set():
                self.beat()
                try:
                    message = queue.get(timeout=2)
                except Empty:
                    continue
                message.ack()
                self.play(message.payload[0][0])

    def beat(self) -> None:
        from django.utils import timezone

        from tournaments.services.matches.workers import Declaration, beat

        if time.monotonic() < self.next_beat:
            return
        self.next_beat = time.monotonic() + 10
        beat(Declaration(self.name, self.name.split(":")[0], "standard", [RULESET], 1, 1, "0.1.0"), load=0.5,
             now=timezone.now())

    def play(self, match_id: int) -> None:
        from django.utils import timezone

        from tournaments.models.leased import FULL_TIER
        from tournaments.services.matches.matches import claim, finish

        lease = claim(match_id=match_id, worker=self.name, tier=FULL_TIER, now=timezone.now())
        if lease is None:
            return
        self.stop.wait(random.uniform(*HELD_SECONDS))
        self.known.complete(lease.work)
        if finish(lease, self.records, timezone.now()):
            self.finished.append(match_id)


if __name__ == "__main__":
    work(*map(int, sys.argv[1:]))
