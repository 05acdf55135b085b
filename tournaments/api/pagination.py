"""Cursor pages: as quick at the millionth row as at the first, and stable while rows come in."""

from rest_framework.pagination import CursorPagination


class ByNewest(CursorPagination):
    """Newest first. `?limit=` sets the size of a page."""

    ordering = "-id"
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200


class ByRating(ByNewest):
    """Highest rating first."""

    ordering = ("-value", "id")
