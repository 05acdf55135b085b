"""Database connections shared by the threads of a web process.

A process works on as many requests at a time as it has connections; the others wait for a place (`admission`), each in
a thread. A request that has waited for PATIENCE_SECONDS, or arrives when too many wait, is refused at once, instead of
being processed when the client no longer waits for the answer. Imported before Django is set up.

Needed for "A site under load" in docs/reference/benchmarks.md and by decision 0019; the pool itself is psycopg's.
"""

from typing import Any, Final

from django.db import connections

CONNECTIONS: Final = 8
# Limit for readers, for writers, and for requests that wait for a page being rendered for another request.
STANDING_BY: Final = 100
# Requests whose bodies are being received (`bodies`), each in a thread that does nothing else.
BODIES: Final = 100
# A few threads remain for requests that need no database, and for refusals.
THREADS: Final = CONNECTIONS + 3 * STANDING_BY + BODIES + 20
PATIENCE_SECONDS: Final = 5.0
# Methods without a body, which change nothing.
READING: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


def share_connections() -> None:
    """Let this process's threads share CONNECTIONS. Must be called before the first query."""
    database = _database()
    # Returned to the pool after each request; SQLite's is closed, as opening its file again takes 0.1 ms.
    database["CONN_MAX_AGE"] = 0
    if database["ENGINE"].endswith("postgresql"):
        database["OPTIONS"]["pool"] = {
            "min_size": 0, "max_size": CONNECTIONS, "max_waiting": STANDING_BY, "timeout": PATIENCE_SECONDS,
            # Retry an unavailable database with the next request, not at ever longer intervals.
            "reconnect_timeout": PATIENCE_SECONDS,
        }


def are_shared() -> bool:
    """Return whether this process's threads share its connections."""
    return _database()["CONN_MAX_AGE"] == 0


def _database() -> dict[str, Any]:
    return connections.settings["default"]
