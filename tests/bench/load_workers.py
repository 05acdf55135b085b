"""Workers that play nothing, for tests/bench/load.py, which starts it: `load_workers.py PART PLACES`.

Each of PLACES threads takes ids off the real queue, claims, holds and finishes matches by the service's own verbs, with
connections of its own to both servers, and says every 10 s that it lives. At the end it writes down what it finished.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
RULESET = "square-grid-hex"
# A match is held for so long; a real one lasts longer, which asks less of the database.
HELD_SECONDS = (5, 15)

def work(part: int, places: int) -> None:
    """Be so many workers of one match each, until told to stop; then write down what was finished."""
    import django

    django.setup()
    from tests.factories import random_record
    from tournaments.worker.statements import plan_once

    plan_once()
    records = [random_record(RULESET, 7, ("first", "second"), seed) for seed in (1, 2)]
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    finished: list[int] = []
    faults: Counter[str] = Counter()
    hands = [threading.Thread(target=Hand(f"load-{part}:{number}", records, stop, finished, faults).run)
             for number in range(places)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()
    Path(os.environ["SQUAREFIELD_VAR"], f"work-{part}.json").write_text(
        json.dumps({"finished": finished, "faults": faults}))


class Hand:
    """A worker of one match at a time."""

    def __init__(self, name: str, records: list[Any], stop: threading.Event, finished: list[int],
                 faults: "Counter[str]") -> None:
        self.name, self.records, self.stop, self.finished, self.faults = name, records, stop, finished, faults
        from tournaments.worker.metadata_cache import MetadataCache

        self.next_beat, self.known = 0.0, MetadataCache()

    def run(self) -> None:
        """Stay on the queue; come back to it at a time of one's own when Redis or the database is away."""
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
