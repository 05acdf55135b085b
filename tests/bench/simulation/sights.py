"""Measurements of a run of fleet.py every two seconds: processor time by kind, connections, backlog."""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from tests.bench.common import cpu

SECONDS: Final = 2.0


class Sights:
    """A thread that records. `kinds` returns the process IDs of each kind; `connections` are those of the last look."""

    def __init__(self, kinds: Callable[[], Mapping[str, Iterable[int]]]) -> None:
        self.kinds = kinds
        self.rows: list[dict[str, Any]] = []
        self.busy: Counter[str] = Counter()
        self._before: dict[int, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        from django.db import DatabaseError, InterfaceError, connection

        while not self._over.wait(SECONDS):
            for kind, pids in self.kinds().items():
                for pid in pids:
                    # A process that was replaced or killed in the meantime begins at 0, or ends.
                    total, before = cpu(pid), self._before.get(pid, 0.0)
                    self.busy[kind] += max(0.0, total - before)
                    self._before[pid] = max(total, before)
            row = {"time": time.time(), "busy": dict(self.busy), "load": os.getloadavg()[0]}
            try:
                self.rows.append({**row, "connections": dict(_connections())})
            except (DatabaseError, InterfaceError):
                connection.close()
                self.rows.append(row)
        connection.close()


def _connections() -> Counter[str]:
    """Count the connections of the site's processes by kind. This program's own are left out."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT split_part(application_name, ' ', 2), count(*) FROM pg_stat_activity "
                       "WHERE backend_type = 'client backend' AND application_name NOT LIKE %s GROUP BY 1",
                       [f"%:{os.getpid()}"])
        return Counter(dict(cursor.fetchall()))
