"""Cursor pagination: as fast at the millionth row as at the first, and stable while rows are added."""

from collections.abc import Callable
from typing import Any, Final

from django.db.models import BigAutoField
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

_LARGEST_ID: Final = BigAutoField.MAX_BIGINT
_MOST: Final = 200
_DIGITS: Final = 3
PAGE_SIZE_SCHEMA: Final = {"type": "integer", "minimum": 1, "maximum": _MOST}


class ByNewest(CursorPagination):
    """Pages of rows, newest first. `?limit=` sets the page size."""

    ordering: str | tuple[str, ...] = "-id"
    page_size = 50
    page_size_query_param = "limit"
    page_size_query_description = f"Number of results per page, 1 to {_MOST}; 50 if omitted."
    cursor_query_description = "Start of the page. Take it from `next` or `previous`; do not construct it."
    max_page_size = _MOST
    # Type of the first column of the ordering.
    position_type: Callable[[str], object] = int

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Return the requested cursor. Raises NotFound also if the database could not compare its position."""
        cursor = super().decode_cursor(request)
        if cursor is not None and cursor.position is not None:
            try:
                position = type(self).position_type(cursor.position)
            except ValueError:
                raise NotFound(self.invalid_cursor_message) from None
            if isinstance(position, int) and abs(position) > _LARGEST_ID:
                raise NotFound(self.invalid_cursor_message)
        return cursor

    def get_page_size(self, request: Request) -> int:
        """Return the page size from `?limit=`. Raises ValidationError if it is not a valid size."""
        asked = request.query_params.get(self.page_size_query_param)
        if asked is None:
            return self.page_size
        size = int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= _DIGITS else 0
        if not 1 <= size <= self.max_page_size:
            raise ValidationError({self.page_size_query_param: [
                f"The page size must be a whole number from 1 to {self.max_page_size}."]})
        return size

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return DRF's parameters, with the bounds of the page size."""
        parameters = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            if parameter["name"] == self.page_size_query_param:
                parameter["schema"] = {**PAGE_SIZE_SCHEMA, "maximum": self.max_page_size}
        return parameters

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of a page in OpenAPI 3.1; DRF's own is 3.0."""
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": {**link, "description": "URL of the next page; null on the last page."},
                "previous": {**link, "description": "URL of the previous page; null on the first page."},
                "results": schema,
            },
        }


class ByRank(ByNewest):
    """Pages of ratings, best rank first."""

    ordering = "rank"


class ByNumber(ByNewest):
    """Pages of a bot's versions, newest first."""

    ordering = "-number"


class ByPlace(ByNewest):
    """Pages of games, newest first, by the `place` of `selectors.games`."""

    ordering = "-place"

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return a page. A list that `?sort=` cuts off has a single page, because its order has no cursor."""
        if not queryset.query.is_sliced:
            return super().paginate_queryset(queryset, request, view)
        self.has_next = self.has_previous = False
        return list(queryset[:self.get_page_size(request)])


class BySeason(ByNewest):
    """Pages of a league's seasons, newest first. A season has the tables of all its divisions."""

    page_size = 5
    page_size_query_description = "Number of seasons per page, 1 to 20; 5 if omitted."
    max_page_size = 20
