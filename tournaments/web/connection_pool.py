"""How the threads of a web process share its connections to the database.

A process works on as many requests at a time as it has connections; the others stand by for a place (`site.places`),
each in a thread. Who has stood by for PATIENCE_SECONDS, or comes when too many do, is told at once to come back,
instead of being worked on when nobody waits for the answer any more. Imported before Django is set up.
"""

from typing import Any, Final

from django.db import connections

CONNECTIONS: Final = 8
# Readers, as many writers, and those who wait for a page that is being drawn for somebody else.
STANDING_BY: Final = 100
# Requests whose bodies are on their way (`site.receiving`), each in a thread that does nothing else.
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
