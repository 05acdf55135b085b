"""Cursor pages: as quick at the millionth row as at the first, and stable while rows come in."""

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
    """Newest first. `?limit=` sets the size of a page."""

    ordering: str | tuple[str, ...] = "-id"
    page_size = 50
    page_size_query_param = "limit"
    page_size_query_description = f"How many results a page has, 1 to {_MOST}; 50 when left out."
    cursor_query_description = "Where a page begins: taken from `next` and `previous`, not made up."
    max_page_size = _MOST
    # What the first column of the ordering holds.
    position_type: Callable[[str], object] = int

    def decode_cursor(self, request: Request) -> Cursor | None:
        """The page asked for. Raises NotFound also for a position that the database could not compare."""
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
        """What `?limit=` says. Raises ValidationError, instead of guessing, when that is no such number."""
        asked = request.query_params.get(self.page_size_query_param)
        if asked is None:
            return self.page_size
        size = int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= _DIGITS else 0
        if not 1 <= size <= self.max_page_size:
            raise ValidationError({self.page_size_query_param: [
                f"A page has 1 to {self.max_page_size} results: give a whole number, or leave it out."]})
        return size

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """As in DRF, with the bounds of the page's size."""
        parameters = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            if parameter["name"] == self.page_size_query_param:
                parameter["schema"] = PAGE_SIZE_SCHEMA
        return parameters

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The shape of a page; DRF's own is OpenAPI 3.0."""
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": {**link, "description": "Address of the next page; null on the last one."},
                "previous": {**link, "description": "Address of the page before; null on the first one."},
                "results": schema,
            },
        }


class ByRating(ByNewest):
    """Highest rating first."""

    ordering = ("-value", "bot_id")
    position_type = float


class ByNumber(ByNewest):
    """A bot's versions, newest first."""

    ordering = "-number"


class ByPlace(ByNewest):
    """Games, newest first, by the `place` of selectors.games."""

    ordering = "-place"
