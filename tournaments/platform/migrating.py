"""Migration operations for tables in use, on either database (CONTRIBUTING.md says when to use them).

Django has them for PostgreSQL only. On SQLite, where writers always wait for one another, the plain operation runs.
"""

from typing import Any

from django.contrib.postgres import operations
from django.db.migrations import AddConstraint, AddIndex, RemoveIndex


class _PlainOnSQLite:
    """Mixin for an operation of Django; `plain` is the operation that replaces it on SQLite."""

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
    """Creation of an index without blocking writers. The migration must have `atomic = False`."""

    plain = AddIndex

    def database_forwards(self, app_label: str, editor: Any, before: Any, after: Any) -> None:
        """Create the index, after removing an invalid one that an interrupted try may have left."""
        if editor.connection.vendor == "postgresql":
            editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {editor.quote_name(self.index.name)}")
        super().database_forwards(app_label, editor, before, after)


class RemoveIndexConcurrently(_PlainOnSQLite, operations.RemoveIndexConcurrently):
    """Removal of an index without blocking writers. The migration must have `atomic = False`."""

    plain = RemoveIndex


class AddCheckNotValid(_PlainOnSQLite, operations.AddConstraintNotValid):
    """Check constraint for new rows only; ValidateCheck later checks the existing rows without blocking anyone."""

    plain = AddConstraint


class ValidateCheck(operations.ValidateConstraint):
    """Check of the existing rows, in a migration after AddCheckNotValid. Not needed on SQLite."""

    def database_forwards(self, app_label: str, editor: Any, before: Any, after: Any) -> None:
        if editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, editor, before, after)
