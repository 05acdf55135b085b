"""Lookup of rows by slug, token or ID."""

from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from rest_framework.exceptions import NotFound

# Maximum number of digits of an ID: any such number fits a database integer.
_DIGITS: Final = 18


class BySlug:
    """Mixin for view sets with lookup by slug. Other strings, some of which PostgreSQL rejects, are not found."""

    lookup_field = "slug"

    def get_object(self) -> Any:
        """Return the row. Raises NotFound."""
        try:
            validate_slug(self.kwargs[self.lookup_field])
        except ValidationError:
            raise NotFound from None
        return super().get_object()


class ByToken(BySlug):
    """Mixin for view sets with lookup by token, which has the characters of a slug."""

    lookup_field = "token"


class ById:
    """Mixin for view sets with lookup by ID. A number that does not fit a database integer is not found."""

    def get_object(self) -> Any:
        """Return the row. Raises NotFound."""
        key = str(self.kwargs["pk"])
        if not (key.isascii() and key.isdigit() and len(key) <= _DIGITS):
            raise NotFound
        return super().get_object()
