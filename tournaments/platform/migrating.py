"""Operations for migrations of tables that are in use, on either database (CONTRIBUTING.md says when).

Django has them for PostgreSQL alone. On SQLite, where writers wait for one another anyway, each is the plain one.
"""

from typing import Any

from django.contrib.postgres import operations
from django.db.migrations import AddConstraint, AddIndex, RemoveIndex


class _PlainOnSQLite:
    """Mixed into an operation of Django's; `plain` is what does its work on SQLite."""

    plain: Any

    def database_forwards(self, app_label: str, editor: Any, before: Any, after: Any) -> None:
        if editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, editor, before, after)  # type: ignore[misc]
        else:
            self.plain.database_forwards(self, app_label, editor, before, after)

    def database_backwards(self, app_label: str, editor: Any, before: Any, after: Any) -> None:
        if editor.connection.vendor == "postgresql":
            super().database_backwards(app_label, editor, before, after)  # type: ignore[misc]
        else:
            self.plain.database_backwards(self, app_label, editor, before, after)


class AddIndexConcurrently(_PlainOnSQLite, operations.AddIndexConcurrently):
    """An index that is made while others write. It wants a migration with `atomic = False`."""

    plain = AddIndex

    def database_forwards(self, app_label: str, editor: Any, before: Any, after: Any) -> None:
        """Also after a try that was cut short, which leaves an index that is not valid."""
        if editor.connection.vendor == "postgresql":
            editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {editor.quote_name(self.index.name)}")
        super().database_forwards(app_label, editor, before, after)


class RemoveIndexConcurrently(_PlainOnSQLite, operations.RemoveIndexConcurrently):
    """An index that goes while others write. It wants a migration with `atomic = False`."""

    plain = RemoveIndex


class AddCheckNotValid(_PlainOnSQLite, operations.AddConstraintNotValid):
    """A check of new rows from now on; those there are, are read by ValidateCheck, which keeps nobody out."""

    plain = AddConstraint


class ValidateCheck(operations.ValidateConstraint):
    """What AddCheckNotValid has left open, in a later migration. On SQLite it left nothing open."""

    def database_forwards(self, app_label: str, editor: Any, before: Any, after: Any) -> None:
        if editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, editor, before, after)
