"""The tests' databases: migrations run once per change of the migrations or models; each process gets a copy.

On SQLite, the migrated file is stored in `var/test-databases` and copied. On PostgreSQL, it is a template in the
server, so a new server migrates once.
"""

import fcntl
import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "var" / "test-databases"
# On PostgreSQL: the tables that tests fill.
_TO_EMPTY: list[str] = []


def digest() -> str:
    """Return a digest of all that decides what a migrated database contains."""
    ours = sorted(file for folder in ("migrations", "models") for file in ROOT.glob(f"*/{folder}/*.py"))
    files = [ROOT / "requirements/dev.txt", *ours]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]


def make_database(name: str) -> None:
    """Create a migrated database of this name (on SQLite: at this path), and let Django's connection use it."""
    with _one_at_a_time():
        if connection.vendor == "sqlite":
            shutil.copyfile(migrated_file(), name)
        else:
            template = _migrated_template()
            with _maintenance() as cursor:
                cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')
                cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    _use(name)
    if connection.vendor != "sqlite":
        _TO_EMPTY[:] = _without_rows()


def remove_database(name: str) -> None:
    """Remove a database that `make_database` created, even if a process that outlived its test is still connected."""
    connection.close()
    if connection.vendor == "sqlite":
        Path(name).unlink()
        return
    with _maintenance() as cursor:
        cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def url() -> str:
    """Return the URL of the database that Django is connected to."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    account = ":".join(filter(None, [database["USER"], database["PASSWORD"]]))
    if database["HOST"].startswith("/"):
        return f"postgres://{account}@/{database['HOST']}/{database['NAME']}"
    host = ":".join(filter(None, [database["HOST"], str(database["PORT"])]))
    return f"postgres://{account}@{host}/{database['NAME']}"


def empty_database() -> None:
    """Remove the rows that a test committed; rows of migrations stay.

    Replaces Django's `flush`, which also creates every permission again and takes a hundred times as long.
    """
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(migrated_file())) as migrated:
            migrated.backup(connection.connection)
        return
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(_TO_EMPTY)}")


def _without_rows() -> Iterator[str]:
    """Yield the tables that a migrated database has no rows in."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        for table in tables:
            cursor.execute(f'SELECT EXISTS (SELECT 1 FROM "{table}")')  # noqa: S608 - a name from the database itself
            if not cursor.fetchone()[0]:
                yield f'"{table}"'


def migrated_file() -> Path:
    """Return the migrated SQLite file of these migrations, after creating it if necessary."""
    file = KEPT / f"{digest()}.sqlite3"
    if not file.exists():
        for older in KEPT.glob("*.sqlite3*"):
            older.unlink()
        new = file.with_suffix(".new")
        _migrate(str(new))
        new.rename(file)
    return file


def _migrated_template() -> str:
    """Return the name of the server's migrated database, after creating it if necessary."""
    template = f"squarefield_{digest()}"
    with _maintenance() as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template])
        if cursor.fetchone():
            return template
        cursor.execute(f'DROP DATABASE IF EXISTS "{template}_new"')
        cursor.execute(f'CREATE DATABASE "{template}_new"')
    _migrate(f"{template}_new")
    with _maintenance() as cursor:
        cursor.execute(f'ALTER DATABASE "{template}_new" RENAME TO "{template}"')
    return template


def _migrate(name: str) -> None:
    before = connection.settings_dict["NAME"]
    _use(name)
    call_command("migrate", verbosity=0, interactive=False)
    _use(before)


def _use(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name


@contextmanager
def _maintenance() -> Iterator:
    with connection._nodb_cursor() as cursor:
        yield cursor


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
