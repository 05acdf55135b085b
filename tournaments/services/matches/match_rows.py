"""Bulk insertion of an event's matches, up to half a million.

Inserting them one by one through the model would take a minute or two; COPY, or one prepared statement, takes a few
seconds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any, Final

from django.db import connection

from engines.rules.openings import Opening
from tournaments.models import Event, Match
from tournaments.models.lifecycle import MatchKind
from tournaments.services.matches.openings import Drawing

# Rows in memory at a time.
_BATCH: Final = 20_000
_OWN: Final = ("round_id", "number", "first_id", "second_id", "seed", "opening")
_META: Final = Match._meta  # noqa: SLF001 - documented Django API


@dataclass(frozen=True, slots=True)
class MatchRow:
    """Values that differ between the matches of an event: row IDs, and the seed from which the opening is drawn."""

    round_id: int
    number: int
    first_id: int
    second_id: int
    seed: int


def insert_matches(event: Event, rows: Iterable[MatchRow], drawing: Drawing | None, now: datetime) -> None:
    """Insert queued matches of the event, in order; without a drawing, they begin with the empty board.

    `rows` is read while earlier rows are written, so the code that produces it must not query the database.
    """
    common = _common(event, now)
    columns = ", ".join(connection.ops.quote_name(column)
                        for column in (*common, *(_META.get_field(name).column for name in _OWN)))
    # Names of the model's own table and columns: the SQL contains no user input.
    table = f"{connection.ops.quote_name(_META.db_table)} ({columns})"
    head = tuple(common.values())
    prepared = (head + row for row in _prepared(rows, drawing))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                for row in prepared:
                    copy.write_row(row)
            return
        places = ", ".join(["%s"] * (len(common) + len(_OWN)))
        while batch := list(islice(prepared, _BATCH)):
            cursor.executemany(f"INSERT INTO {table} VALUES ({places})", batch)  # noqa: S608


def _common(event: Event, now: datetime) -> dict[str, Any]:
    """Return the values that all of the matches share, by column, in the form that the database takes."""
    match = Match(kind=MatchKind.EVENT, event=event, ladder=event.ladder, rated=event.rated, created_at=now,
                  ruleset=event.ladder.ruleset)
    return {field.column: field.get_db_prep_save(field.pre_save(match, add=True), connection)
            for field in _META.concrete_fields if not field.primary_key and field.attname not in _OWN}


def _prepared(rows: Iterable[MatchRow], drawing: Drawing | None) -> Iterator[tuple[Any, ...]]:
    field = _META.get_field("opening")

    @cache
    def stored(opening: Opening) -> Any:
        return field.get_db_prep_save(list(opening), connection)

    for row in rows:
        opening = () if drawing is None else drawing.draw(row.first_id, row.second_id, row.seed)
        yield row.round_id, row.number, row.first_id, row.second_id, row.seed, stored(opening)
