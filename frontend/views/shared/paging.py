"""Lists whose pages follow one another by id, with what was chosen in the address."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest


def page_of(request: HttpRequest, rows: QuerySet[Any], size: int) -> tuple[list[Any], str]:
    """The first `size` rows, and the query of the address with those after them, or "" when there are none."""
    listed = list(rows[:size + 1])
    if len(listed) <= size:
        return listed, ""
    query = request.GET.copy()
    query["before"] = str(listed[size - 1].pk)
    return listed[:size], query.urlencode()
