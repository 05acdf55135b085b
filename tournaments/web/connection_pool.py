"""How the threads of a web process share its connections to the database.

A process works on as many requests at a time as it has connections; the others wait for a place (`admission`), each in
a thread. A request that has waited for PATIENCE_SECONDS, or arrives when too many wait, is refused at once, instead of
being worked on when no one waits for the answer any longer. Imported before Django is set up.

Kept because of "A site under load" in docs/benchmarks.md and decision 0019; the pool itself is psycopg's.
"""

from typing import Any, Final

from django.db import connections

CONNECTIONS: Final = 8
# Readers, as many writers, and those who wait for a page that is being drawn for somebody else.
STANDING_BY: Final = 100
# Requests whose bodies are arriving (`bodies`), each in a thread that does nothing else.
BODIES: Final = 100
# Some are left for what needs no database, and for saying no.
THREADS: Final = CONNECTIONS + 3 * STANDING_BY + BODIES + 20
PATIENCE_SECONDS: Final = 5.0
# Methods that bring nothing and change nothing.
READING: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


def share_connections() -> None:
    """Have this process's threads share CONNECTIONS; to be called before the first query."""
    database = _database()
    # Given back, or of SQLite closed, at the end of each request: to open its file again takes 0.1 ms.
    database["CONN_MAX_AGE"] = 0
    if database["ENGINE"].endswith("postgresql"):
        database["OPTIONS"]["pool"] = {
            "min_size": 0, "max_size": CONNECTIONS, "max_waiting": STANDING_BY, "timeout": PATIENCE_SECONDS,
            # A database that was away is tried again with the next request, and not at ever longer intervals.
            "reconnect_timeout": PATIENCE_SECONDS,
        }


def are_shared() -> bool:
    """Whether they are, in this process."""
    return _database()["CONN_MAX_AGE"] == 0


def _database() -> dict[str, Any]:
    return connections.settings["default"]
