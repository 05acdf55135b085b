"""A JSON column with a list of names, which reads as an empty list if the database has something else."""

from typing import Any

from django.db import models


class NamesField(models.JSONField):
    """List of names. One row with another value must not break the lists of all rows.

    `tournaments.selectors.shared.readable` tells staff about such rows.
    """

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> list[str]:
        """Return the names."""
        names = super().from_db_value(value, expression, connection)
        return names if isinstance(names, list) and all(isinstance(name, str) for name in names) else []

    def deconstruct(self) -> Any:
        """Return what migrations need: in the database it is any JSON."""
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.JSONField", args, options
