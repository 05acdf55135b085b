"""What a migration must not do to a table that is in use, found in the SQL that PostgreSQL is given."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from django.db import connection
from django.db.migrations import RunPython, RunSQL, SeparateDatabaseAndState
from django.db.migrations.loader import MigrationLoader

# What a statement must not do to a table that was there before its migration: the pattern, and what comes of it.
_STATEMENTS: Final = (
    (r"CREATE (UNIQUE )?INDEX (?!CONCURRENTLY)", "makes an index with writers locked out"),
    (r"ADD CONSTRAINT \S+ (UNIQUE|PRIMARY KEY|EXCLUDE)(?! USING INDEX)", "makes an index with everybody locked out"),
    (r"ADD CONSTRAINT \S+ CHECK(?!.* NOT VALID$)", "reads the table with everybody locked out"),
    (r"ADD CONSTRAINT \S+ FOREIGN KEY(?!.* NOT VALID$)", "reads the table with writers locked out"),
    (r"ADD COLUMN \S+ (?!.* DEFAULT ).*NOT NULL", "adds a column that the old release does not fill"),
    (r"ALTER COLUMN \S+ DROP DEFAULT", "takes a default away that the old release needs"),
    (r"ALTER COLUMN \S+ SET NOT NULL", "reads the table with everybody locked out"),
    (r"ALTER COLUMN \S+ (SET DATA )?TYPE ", "may write the table anew"),
    (r"ADD COLUMN .*( STORED|GENERATED | SERIAL|_uuid\(|random\(|clock_timestamp\()", "writes the table anew"),
    (r"DROP COLUMN |DROP TABLE | RENAME ", "takes away what the old release uses"),
)
_TABLE: Final = re.compile(r'(?:CREATE TABLE|ALTER TABLE|DROP TABLE|INDEX .*? ON)(?: IF EXISTS)? "?(\w+)"?')
# These keep nobody out for longer than a moment, and so may hold what others wait for.
_GENTLE: Final = re.compile(r"CONCURRENTLY|VALIDATE CONSTRAINT")


def dangers(statements: Sequence[str]) -> set[str]:
    """What these statements of one migration would do; comments among them are passed over."""
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
        found.add(f"locks several tables at a time ({', '.join(sorted(altered))})")
    return found


def dangers_of_code(operations: Sequence[object], *, atomic: bool) -> set[str]:
    """What comes of the operations' own code and SQL, which nobody sees in the statements."""
    own = [operation for operation in operations if isinstance(operation, RunPython | RunSQL)]
    others = [operation for operation in operations
              if not isinstance(operation, RunPython | RunSQL | SeparateDatabaseAndState)]
    found = set()
    if own and others:
        found.add("changes rows and tables in one migration")
    if own and atomic:
        found.add("changes rows in one long transaction")
    return found


def of_every_migration(apps: Collection[str]) -> Iterator[tuple[str, set[str]]]:
    """Each migration of these apps that comes after another, by its name, and its dangers, if any."""
    loader = MigrationLoader(connection, replace_migrations=False)
    for key, migration in sorted(loader.graph.nodes.items()):
        if key[0] not in apps or migration.initial or not any(app == key[0] for app, _ in migration.dependencies):
            continue
        # Data migrations are left out of the SQL with a comment.
        sql = loader.collect_sql([(migration, False)])
        yield ".".join(key), dangers(sql) | dangers_of_code(migration.operations, atomic=migration.atomic)
