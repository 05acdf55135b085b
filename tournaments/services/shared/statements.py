"""SQL statements that run for every match, written as text.

With the ORM instead, claiming and finishing a match takes 1.4 times the processor time
(docs/reference/benchmarks.md, "Claims, pairing"). Tables and columns are the models' own; every value is a parameter.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Field, Model

from tournaments.models import Event, Match
from tournaments.models.leased import Leased

Row = TypeVar("Row", bound=Leased)

_TOUCH: Final = (  # The tables are the models' own.
    f"UPDATE {Event._meta.db_table} SET revision = revision + 1 WHERE id = %s RETURNING format, EXISTS ("  # noqa: S608, SLF001
    f"SELECT 1 FROM {Match._meta.db_table} m WHERE m.event_id = %s AND m.status IN ('queued', 'running'))")  # noqa: SLF001


def take(model: type[Row], pk: int, until: datetime, now: datetime, *, only: Mapping[str, Any],
         facts: Mapping[str, Any]) -> Row | None:
    """Lease a waiting row that is due, for its next attempt; return the updated row, or None if it is not available.

    `only` maps columns to the values that they must have, `facts` to the values that they get.
    """
    # Use conditions on the row's own columns alone: PostgreSQL rechecks them after it has waited for another claim.
    values = _prepared(model, {"status": model.TAKEN, "lease_until": until, **facts})
    conditions = _prepared(model, {"id": pk, "status": model.WAITING, "due_at": now, **only})
    return next(iter(model.objects.raw(_take(model, tuple(facts), tuple(only)), [*values, *conditions])), None)


def change(model: type[Model], facts: Mapping[str, Any], **only: Any) -> int:
    """Set the values `facts` in the rows whose columns have the values `only`; return the number of these rows."""
    return _run(_change(model, tuple(facts), tuple(only)), *_prepared(model, facts), *_prepared(model, only))


def touch(event: int | None) -> str:
    """Increment the event's revision, which says that something about it changed; return its format if a match is open.

    Otherwise return an empty text. Without an event, do nothing.
    """
    if event is None:
        return ""
    with connection.cursor() as cursor:
        cursor.execute(_TOUCH, [event, event])
        return "".join(form for form, is_open in cursor.fetchall() if is_open)


def insert(rows: Sequence[Model]) -> None:
    """Insert new rows of one model and set their IDs: `bulk_create` without its work for each model."""
    model = type(rows[0])
    fields = [field for field in _fields(model).values() if not field.primary_key]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    places = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * len(rows))
    # Not the `connection` proxy, which looks up the thread's connection at every access.
    db = connections[DEFAULT_DB_ALIAS]
    values = [field.get_db_prep_save(getattr(row, field.attname), db) for row in rows for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {_table(model)} ({columns}) VALUES {places} RETURNING id", values)  # noqa: S608
        for row, (pk,) in zip(rows, cursor.fetchall(), strict=True):
            row.pk = pk


@cache
def _take(model: type[Leased], facts: Sequence[str], only: Sequence[str]) -> str:
    # Only the columns that this release knows: a prepared statement must not return more when a later release adds
    # some.
    columns = ", ".join(f'"{field.column}"' for field in _fields(model).values())
    values = "".join(f', "{name}" = %s' for name in facts)
    conditions = "".join(f' AND "{name}" = %s' for name in only)
    return (f"UPDATE {_table(model)} SET status = %s, lease_until = %s, attempt = attempt + 1{values} "  # noqa: S608
            f"WHERE id = %s AND status = %s AND (due_at IS NULL OR due_at <= %s){conditions} RETURNING {columns}")


@cache
def _change(model: type[Model], facts: Sequence[str], only: Sequence[str]) -> str:
    values = ", ".join(f'"{name}" = %s' for name in facts)
    conditions = " AND ".join(f'"{name}" = %s' for name in only)
    return f"UPDATE {_table(model)} SET {values} WHERE {conditions}"  # noqa: S608


def _prepared(model: type[Model], values: Mapping[str, Any]) -> list[Any]:
    """Return the values of these columns in the form that the database takes."""
    fields, db = _fields(model), connections[DEFAULT_DB_ALIAS]
    return [fields[name].get_db_prep_save(value, db) for name, value in values.items()]


def _table(model: type[Model]) -> str:
    return model._meta.db_table  # noqa: SLF001 - documented Django API


@cache
def _fields(model: type[Model]) -> dict[str, "Field[Any, Any]"]:
    """Return the model's fields by the names of their columns."""
    return {field.column: field for field in model._meta.concrete_fields}  # noqa: SLF001 - as above


def _run(statement: str, *parameters: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.rowcount
