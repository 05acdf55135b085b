"""Statements that are run for every match, as text: making them by the ORM costs more than all else about a match.

Tables and columns are the models' own; what anybody brings is always a parameter.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Field, Model

from tournaments.models import Attempt, Event, Match, Version
from tournaments.models.lifecycle import MATCH_TRANSITIONS, AttemptStatus, MatchStatus


def _table(model: type[Model]) -> str:
    return model._meta.db_table  # noqa: SLF001 - Django's documented way to a model's facts


def _among(statuses: Sequence[str]) -> str:
    return ", ".join(f"'{status!s}'" for status in statuses)


def _columns(model: type[Model]) -> str:
    """Those that this release knows: a statement that is prepared must not get more when a later one adds some."""
    return ", ".join(f'"{field.column}"' for field in model._meta.concrete_fields)  # noqa: SLF001 - likewise


# Conditions on the row's own columns and on facts that never change: PostgreSQL checks the former again after it has
# waited for another claim, and the latter cannot have become others meanwhile.
_TAKE: Final = f"""
    UPDATE {_table(Match)} SET status = '{MatchStatus.RUNNING}', attempt = attempt + 1, lease_until = %s
    WHERE id = %s AND status IN ({_among(MATCH_TRANSITIONS["claim"])}) AND NOT held
      AND (%s OR NOT EXISTS (SELECT 1 FROM {_table(Version)} v WHERE v.id IN (first_id, second_id) AND NOT v.trusted))
    RETURNING {_columns(Match)},
              (SELECT v.bot_id FROM {_table(Version)} v WHERE v.id = first_id) AS first_bot,
              (SELECT v.bot_id FROM {_table(Version)} v WHERE v.id = second_id) AS second_bot
"""  # noqa: S608
_END: Final = f"""
    UPDATE {_table(Match)} SET status = '{MatchStatus.FINISHED}', ended_at = %s, lease_until = NULL
    WHERE id = %s AND status IN ({_among(MATCH_TRANSITIONS["finish"])}) AND attempt = %s
"""  # noqa: S608
_JUDGE: Final = f"""
    UPDATE {_table(Attempt)} SET status = %s, reason = %s, ended_at = %s
    WHERE id = %s AND status = '{AttemptStatus.RUNNING}'
"""  # noqa: S608
_TOUCH: Final = f"UPDATE {_table(Event)} SET revision = revision + 1 WHERE id = %s"  # noqa: S608


def take(match_id: int, until: datetime, *, any_bots: bool) -> tuple[Match, tuple[int, int]] | None:
    """Lease the match, if it can be claimed, for its next attempt: the row as it is then, and its two bots.

    Unless it may be with any bots, both versions have to be trusted.
    """
    for match in Match.objects.raw(_TAKE, [_moment(until), match_id, any_bots]):
        return match, (match.first_bot, match.second_bot)
    return None


def end(match_id: int, attempt: int, now: datetime) -> bool:
    """Finish the match if it runs under this attempt: the fence."""
    return _run(_END, _moment(now), match_id, attempt) > 0


def judge(attempt: int, status: AttemptStatus, reason: str, now: datetime) -> None:
    """End the attempt, unless it was judged before."""
    _run(_JUDGE, status.value, reason, _moment(now), attempt)


def touch(event: int | None) -> None:
    """Say that something about the event changed."""
    if event is not None:
        _run(_TOUCH, event)


def insert(rows: Sequence[Model]) -> None:
    """Insert new rows of one model and give them their ids: `bulk_create` without what it asks of each model."""
    fields = _fields(type(rows[0]))
    columns = ", ".join(f'"{field.column}"' for field in fields)
    places = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * len(rows))
    # Not the thread's `connection`, which looks for itself each time that it is asked for anything.
    db = connections[DEFAULT_DB_ALIAS]
    values = [field.get_db_prep_save(getattr(row, field.attname), db) for row in rows for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {_table(type(rows[0]))} ({columns}) VALUES {places} RETURNING id",  # noqa: S608
                       values)
        for row, (pk,) in zip(rows, cursor.fetchall(), strict=True):
            row.pk = pk


@cache
def _fields(model: type[Model]) -> list["Field[Any, Any]"]:
    return [field for field in model._meta.concrete_fields if not field.primary_key]  # noqa: SLF001


def _run(statement: str, *parameters: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.rowcount


def _moment(moment: datetime) -> Any:
    """As this database takes it."""
    return connection.ops.adapt_datetimefield_value(moment)
