"""How the threads of a web process share its connections to PostgreSQL.

A process works on as many requests at a time as it has connections: more would make each of them slower. The others
stand by, first come, first served, each in a thread. Who has stood by for PATIENCE_SECONDS, or comes when too many do,
is told at once to come back (`site.middleware.UnavailableMiddleware`), instead of being worked on when nobody waits for
the answer any more. Imported before Django is set up.
"""

from typing import Final

from django.db import connections

CONNECTIONS: Final = 8
STANDING_BY: Final = 100
# Some are left for what needs no database, and for saying no.
THREADS: Final = CONNECTIONS + STANDING_BY + 20
PATIENCE_SECONDS: Final = 5.0


def share_connections() -> None:
    """Have this process's threads share CONNECTIONS; to be called before the first query."""
    database = connections.settings["default"]
    database["CONN_MAX_AGE"] = 0
    database["OPTIONS"]["pool"] = {
        "min_size": 0, "max_size": CONNECTIONS, "max_waiting": STANDING_BY, "timeout": PATIENCE_SECONDS,
        # A database that was away is tried again with the next request, and not at ever longer intervals.
        "reconnect_timeout": PATIENCE_SECONDS,
    }
