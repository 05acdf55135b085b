"""Rows that are addressed by slug."""

from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from rest_framework.exceptions import NotFound

# Of an id: so many always fit a database integer.
_DIGITS: Final = 18


class BySlug:
    """For view sets. What is no slug names no row; PostgreSQL would not even compare some of it."""

    lookup_field = "slug"

    def get_object(self) -> Any:
        """The row. Raises NotFound."""
        try:
            validate_slug(self.kwargs[self.lookup_field])
        except ValidationError:
            raise NotFound from None
        return super().get_object()


class ByToken(BySlug):
    """For view sets of rows that are addressed by a token, which has the characters of a slug."""

    lookup_field = "token"


class ById:
    """For view sets of rows that are addressed by their ids. What no database integer can hold names no row."""

    def get_object(self) -> Any:
        """The row. Raises NotFound."""
        key = str(self.kwargs["pk"])
        if not (key.isascii() and key.isdigit() and len(key) <= _DIGITS):
            raise NotFound
        return super().get_object()
