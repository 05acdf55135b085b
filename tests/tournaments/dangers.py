"""Dangerous operations on tables in use, found in the SQL of migrations for PostgreSQL."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from django.db import connection
from django.db.migrations import RunPython, RunSQL, SeparateDatabaseAndState
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

# Patterns of statements that are forbidden on tables older than the migration, with the consequence of each.
_STATEMENTS: Final = (
    (r"CREATE (UNIQUE )?INDEX (?!CONCURRENTLY)", "creates an index with writers locked out"),
    (r"ADD CONSTRAINT \S+ (UNIQUE|PRIMARY KEY|EXCLUDE)(?! USING INDEX)", "creates an index with all others locked out"),
    (r"ADD CONSTRAINT \S+ CHECK(?!.* NOT VALID$)", "reads the table with all others locked out"),
    (r"ADD CONSTRAINT \S+ FOREIGN KEY(?!.* NOT VALID$)", "reads the table with writers locked out"),
    (r"ADD COLUMN \S+ (?!.* DEFAULT ).*NOT NULL", "adds a column that the old release does not fill"),
    (r"ALTER COLUMN \S+ DROP DEFAULT", "removes a default that the old release needs"),
    (r"ALTER COLUMN \S+ SET NOT NULL", "reads the table with all others locked out"),
    (r"ALTER COLUMN \S+ (SET DATA )?TYPE ", "may rewrite the table"),
    (r"ADD COLUMN .*( STORED|GENERATED | SERIAL|_uuid\(|random\(|clock_timestamp\()", "rewrites the table"),
    (r"DROP COLUMN |DROP TABLE | RENAME ", "removes what the old release uses"),
)
_TABLE: Final = re.compile(r'(?:CREATE TABLE|ALTER TABLE|DROP TABLE|INDEX .*? ON)(?: IF EXISTS)? "?(\w+)"?')
# These statements hold no lock for more than a moment, so they may run together with others.
_GENTLE: Final = re.compile(r"CONCURRENTLY|VALIDATE CONSTRAINT")


def dangers(statements: Sequence[str]) -> set[str]:
    """Return the dangers in the statements of one migration; comments among them are skipped."""
    created, altered, found = set(), set(), set()
    for line in statements:
        statement = line.strip().rstrip(";")
        named = _TABLE.search(statement)
        if statement.startswith("--") or named is None:
            continue
        table = named[1]
        if statement.startswith("CREATE TABLE"):
            created.add(table)
        elif table not in created:
            found |= {f"{consequence} ({table})" for pattern, consequence in _STATEMENTS
                      if re.search(pattern, statement, re.IGNORECASE)}
            if not _GENTLE.search(statement):
                altered.add(table)
    if len(altered) > 1:
        found.add(f"locks several tables at once ({', '.join(sorted(altered))})")
    return found


def dangers_of_code(operations: Sequence[object], *, atomic: bool) -> set[str]:
    """Return the dangers of the operations' own code and SQL, which the statements do not show."""
    own = [operation for operation in operations if isinstance(operation, RunPython | RunSQL)]
    others = [operation for operation in operations
              if not isinstance(operation, RunPython | RunSQL | SeparateDatabaseAndState)]
    found = set()
    if own and others:
        found.add("changes rows and tables in one migration")
    if own and atomic:
        found.add("changes rows in one long transaction")
    return found


def of_migrations(wanted: Callable[[str], bool]) -> Iterator[tuple[str, set[str]]]:
    """Yield the name and the dangers, if any, of each wanted migration that depends on an earlier one of its app."""
    executor = MigrationExecutor(connection)
    executor.loader = MigrationLoader(connection, replace_migrations=False)
    state = executor._create_project_state()
    for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes(), clean_start=True):
        app, name = migration.app_label, f"{migration.app_label}.{migration.name}"
        if not wanted(name) or migration.initial or not any(other == app for other, _ in migration.dependencies):
            state = migration.mutate_state(state, preserve=False)
            continue
        with connection.schema_editor(collect_sql=True, atomic=migration.atomic) as editor:
            state = migration.apply(state, editor, collect_sql=True)
        # In the SQL, data migrations appear only as comments.
        yield name, dangers(editor.collected_sql) | dangers_of_code(migration.operations, atomic=migration.atomic)
