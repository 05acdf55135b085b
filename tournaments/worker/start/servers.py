"""Checks of the servers that a worker needs: its secrets are right, and the database has the tables of this release."""

from django.db import Error, ProgrammingError, connection
from redis.exceptions import AuthenticationError, ResponseError

from engines.rules.registry import versions
from tournaments.celery import app
from tournaments.services.matches import releases
from tournaments.worker.start.errors import CannotWork


def check_database() -> None:
    """Raise CannotWork if the database refuses or does not answer, or if the site plays by other rules.

    The connection is closed: the caller forks later.
    """
    try:
        connection.ensure_connection()
        conflicts = releases.conflicts(versions())
    except Error as error:
        if isinstance(error, ProgrammingError) or "no such table" in str(error):
            raise CannotWork(f"The database lacks tables of this release, or this worker's role may not read them: "
                             f"{_line(error)}. Run manage.py migrate, then grant_roles if you use roles.") from None
        raise CannotWork(f"The worker cannot use the database: {_line(error)}. Check user, password, host and name in "
                         "DATABASE_URL.") from None
    finally:
        connection.close()
    if conflicts:
        raise CannotWork(f"This worker takes no matches, because it plays by other rules than the site: {conflicts}. "
                         "Install the site's release here; or, if this release is the newer one, run its manage.py "
                         "migrate.")


def check_broker() -> None:
    """Raise CannotWork if the broker refuses the worker. If it does not answer, Celery waits for it later."""
    try:
        with app.connection_for_read() as broker:
            broker.connect()
    except (AuthenticationError, ResponseError) as error:
        raise CannotWork(f"The broker refuses this worker: {_line(error)}. Check user and password in "
                         "REDIS_URL.") from None
    except app.connection_for_read().connection_errors:
        return


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")
