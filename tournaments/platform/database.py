"""Connections to PostgreSQL: direct, or through a pooler that assigns a connection to each transaction.

docs/decisions/0041-pgbouncer.md says why.
"""

import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper

# PgBouncer with `pool_mode = transaction`.
TRANSACTION: Final = "transaction"
_POOLERS: Final = ("", TRANSACTION)
# PostgreSQL cuts longer names.
_LONGEST_NAME: Final = 63
# The service runs the same few statements over and over, each for a few rows: without JIT and parallel workers. Each is
# planned with its values, because many use partial indexes of open rows, which a generic plan could not use. Workers
# differ: see `worker.database.plans`. The server detects a lost client by keepalives, and releases its locks. A client
# that is frozen answers them: its transaction ends after a while, and nobody waits long for its locks
# (docs/decisions/0077-frozen-processes.md).
SESSION: Final[Mapping[str, str]] = {
    "jit": "off", "max_parallel_workers_per_gather": "0", "plan_cache_mode": "force_custom_plan",
    "tcp_keepalives_idle": "20", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3",
    "tcp_user_timeout": "50000", "lock_timeout": "5000", "idle_in_transaction_session_timeout": "10000",
}
# A server that disappears without closing the connection is detected within a minute. libpq ignores these on a Unix
# socket.
_CLIENT: Final[Mapping[str, Any]] = {
    "connect_timeout": 10, "keepalives_idle": 20, "keepalives_interval": 10, "keepalives_count": 3,
    "tcp_user_timeout": 50_000,
}


def connecting_by(pooler: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `settings.DATABASES` needs in addition; `given` are the options in DATABASE_URL, which prevail.

    Raises ImproperlyConfigured if there is no such pooler.
    """
    if pooler not in _POOLERS:
        raise ImproperlyConfigured(f"SQUAREFIELD_DATABASE_POOLER is {pooler!r}. Set it to {TRANSACTION!r}, or leave it "
                                   "out for direct connections and for a pooler in session mode.")
    options = {"server_side_binding": True, "application_name": name_of(sys.argv), **_CLIENT}
    if pooler:
        # The next transaction may run on another connection, so nothing may be left on one: no prepared statements, no
        # cursors that outlive a transaction. PgBouncer refuses `options`, so `grant_roles` sets them by role.
        return {"OPTIONS": {**options, "prepare_threshold": None, **given}, "DISABLE_SERVER_SIDE_CURSORS": True}
    direct = " ".join(f"-c {name}={value}" for name, value in SESSION.items())
    return {"OPTIONS": {**options, "prepare_threshold": 2, "options": direct, **given}}


def name_of(words: Sequence[str]) -> str:
    """Return the name of the process with this command line: its kind, host and ID, as the database lists it."""
    program = Path(words[0]).name if words else ""
    kind = words[1] if program == "manage.py" and len(words) > 1 else program.removesuffix(".py")
    before, after = f"squarefield {kind[:20]} ", f":{os.getpid()}"
    return before + socket.gethostname()[:_LONGEST_NAME - len(before) - len(after)] + after


def is_pooled(connection: BaseDatabaseWrapper) -> bool:
    """Return whether a pooler answers in PostgreSQL's place: it makes up the number of the server's process."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return bool(cursor.fetchone()[0] != connection.connection.info.backend_pid)
