"""Rows that are addressed by slug."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from rest_framework.exceptions import NotFound


class BySlug:
    """For view sets. What is no slug names no row; PostgreSQL would not even compare some of it."""

    lookup_field = "slug"

    def get_object(self) -> Any:
        """The row. Raises NotFound."""
        try:
            validate_slug(self.kwargs["slug"])
        except ValidationError:
            raise NotFound from None
        return super().get_object()
