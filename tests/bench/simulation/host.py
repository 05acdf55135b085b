"""A host of tests/bench/simulation/fleet.py, which runs `host.py NAME SLOTS MEAN_SECONDS LOG`, or several for load.py.

Its matches sleep instead of playing. It takes IDs off the real queue, and claims, holds and finishes matches with the
service's own verbs. One thread claims and finishes, with one connection to the database; another sends heartbeats, with
a second one. A slot is an entry of a heap, so one process stands for a host with hundreds of slots. Every claim, end,
heartbeat and fault is one line of LOG.
"""

import heapq
import json
import random
import signal
import sys
import threading
import time
from collections import deque
from pathlib import Path
from queue import Empty
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
RULESET, SIZE = "square-grid-hex", 7
# A wait for a message that is long enough to cost little, and short enough for matches to end on time.
LONGEST_WAIT: Final = 0.2
# Games that are recorded before the start; every match gets two of them.
RECORDED: Final = 8


class Host:
    """The slots of a host. `playing` holds (end, ID) of each match; `leases` the lease and the message of each ID."""

    def __init__(self, name: str, slots: int, mean: float, log: Path, records: list[Any]) -> None:
        from tournaments.worker.database.metadata_cache import MetadataCache

        self.name, self.slots, self.mean = name, slots, mean
        self.log = log.open("a", buffering=1)
        self.stop = threading.Event()
        self.known = MetadataCache()
        self.records = records
        self.playing: list[tuple[float, int]] = []
        self.leases: dict[int, tuple[Any, Any]] = {}
        # Since when each free slot is free, the longest first.
        self.free = deque([time.monotonic()] * slots)
        self.first = slots
        self.opens_at = 0.0
        self.workers = 1

    def note(self, what: str, *facts: object) -> None:
        self.log.write(json.dumps([what, round(time.time(), 3), *facts]) + "\n")

    # --- matches ----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Serve the queue until told to stop, reconnecting after failures; then finish all matches at once."""
        from django.db import DatabaseError, InterfaceError
        from kombu.exceptions import OperationalError
        from redis.exceptions import RedisError

        pulse = threading.Thread(target=self.keep_alive)
        pulse.start()
        while not self.stop.is_set():
            try:
                self.serve()
            except (DatabaseError, InterfaceError, OperationalError, RedisError, OSError) as error:
                self.failed(error)
        self.finish_until(float("inf"))
        self.stop.set()
        pulse.join()

    def serve(self) -> None:
        from tournaments.celery import app
        from tournaments.platform.messaging.queues import queue_of

        with app.connection_for_read() as broker:
            queue = broker.SimpleQueue(app.amqp.queues[queue_of(RULESET)])
            while not self.stop.is_set():
                # One, and then a claim: the slots of a worker do not wait for one another's ends either.
                self.finish_until(time.monotonic(), most=1)
                wait = min(LONGEST_WAIT, max(0.001, self.playing[0][0] - time.monotonic())) if self.playing else 0.2
                if not self.free or time.monotonic() < self.opens_at:
                    self.stop.wait(wait)
                    continue
                try:
                    message = queue.get(timeout=wait)
                except Empty:
                    continue
                self.claim(message)

    def claim(self, message: Any) -> None:
        from tournaments.models.leased import FULL_TIER
        from tournaments.platform.clock import shared_now
        from tournaments.services.matches.matches import claim

        match_id, now = message.payload[0][0], shared_now()
        lease = claim(match_id=match_id, worker=f"{self.name}:1", tier=FULL_TIER, now=now)
        if lease is None:
            message.ack()
            return
        self.known.complete(lease.work)
        seconds = random.gammavariate(4, self.mean / 4)
        if self.first:
            # The fleet starts as if it had been playing for long.
            self.first -= 1
            seconds *= random.random()
        waited = time.monotonic() - self.free.popleft()
        heapq.heappush(self.playing, (time.monotonic() + seconds, match_id))
        self.leases[match_id] = lease, message
        age = (now - lease.work.published_at).total_seconds() if lease.work.published_at else 0.0
        self.note("claim", round(waited, 4), round(age, 3))

    def finish_until(self, moment: float, most: float = float("inf")) -> None:
        """Finish the matches whose time is over by then, up to this many."""
        done = 0
        while done < most and self.playing and self.playing[0][0] <= moment:
            done += 1
            end, match_id = heapq.heappop(self.playing)
            lease, message = self.leases.pop(match_id, (None, None))
            try:
                # Without a lease, a heartbeat has found that it was lost.
                if lease is not None:
                    self.finish(end, lease, message)
            finally:
                self.free.append(time.monotonic())

    def finish(self, end: float, lease: Any, message: Any) -> None:
        """Record two games. If that fails, the lease expires, and the match is replayed, as with a real worker."""
        from django.db import DatabaseError, InterfaceError
        from kombu.exceptions import OperationalError
        from redis.exceptions import RedisError

        from tournaments.platform.clock import shared_now
        from tournaments.services.matches.matches import finish

        try:
            counted = finish(lease, random.sample(self.records, 2), shared_now())
            self.note("finish" if counted else "late", lease.work.pk, round(max(0.0, time.monotonic() - end), 4))
        except (DatabaseError, InterfaceError) as error:
            self.failed(error)
        try:
            message.ack()
        except (OperationalError, RedisError, OSError, AttributeError, KeyError):
            # The connection that it came on is gone. Its ID comes again after an hour, when the match is over.
            self.note("unacknowledged")

    def failed(self, error: Exception) -> None:
        """Close the connection; begin to take messages again at a random moment, as workers do."""
        from django.db import connection

        from tournaments.worker.presence import LONGEST_SPREAD_SECONDS, WORKERS_PER_SECOND

        self.note("fault", f"{type(error).__name__}: {str(error)[:80]}")
        connection.close()
        self.opens_at = time.monotonic() + random.uniform(
            0, min(LONGEST_SPREAD_SECONDS, self.workers / WORKERS_PER_SECOND))
        self.stop.wait(0.5)

    # --- heartbeats -------------------------------------------------------------------------------------------------

    def keep_alive(self) -> None:
        """Send the host's heartbeats and renew its leases, each as often as a worker does."""
        from django.conf import settings
        from django.db import DatabaseError, InterfaceError, connection

        from tournaments.operations.workers import online
        from tournaments.platform.clock import shared_now
        from tournaments.services.matches.workers import Declaration, beat

        facts = Declaration(self.name, self.name, "standard", [RULESET], self.slots, self.slots, "0.1.0")
        next_beat = next_renewal = time.monotonic()
        while not self.stop.is_set():
            began = time.monotonic()
            try:
                if began >= next_beat:
                    beat(facts, load=0.5, at_work=True, now=shared_now())
                    self.workers = online(shared_now()).count()
                    next_beat = began + settings.SILENCE_SECONDS / 3
                    self.note("beat", round(time.monotonic() - began, 4))
                if began >= next_renewal:
                    next_renewal = began + settings.LEASE_SECONDS / 3
                    self.renew()
            except (DatabaseError, InterfaceError) as error:
                self.note("fault", f"{type(error).__name__}: {str(error)[:80]}")
                connection.close()
            self.stop.wait(1)
        connection.close()

    def renew(self) -> None:
        """Renew all leases with one statement, as a worker does, and give up those that are lost."""
        from tournaments.models import Match
        from tournaments.platform.clock import shared_now
        from tournaments.services.shared.leases import renew

        began = time.monotonic()
        # A copy, because the other thread claims and finishes in the meantime.
        held = {match_id: lease.number for match_id, (lease, _) in list(self.leases.items())}
        lost = renew(Match, held, shared_now()) if held else set()
        self.note("renew", round(time.monotonic() - began, 4), len(held))
        for match_id in lost:
            # A match that was finished here in the meantime is not lost.
            if self.leases.pop(match_id, None) is not None:
                self.note("lost", match_id)


def main(name: str, slots: str, mean: str, log: str, number: str = "1") -> None:
    """Run this many hosts of one name until told to stop."""
    import django

    django.setup()
    from tests.factories import random_record
    from tournaments.worker.database.plans import plan_once

    plan_once()
    records = [random_record(RULESET, SIZE, ("first", "second"), seed) for seed in range(RECORDED)]
    hosts = [Host(f"{name}.{each}" if each else name, int(slots), float(mean), Path(log), records)
             for each in range(int(number))]
    signal.signal(signal.SIGTERM, lambda *_: [host.stop.set() for host in hosts])
    others = [threading.Thread(target=host.run) for host in hosts[1:]]
    for thread in others:
        thread.start()
    hosts[0].run()
    for thread in others:
        thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
