"""Pagination that keeps the filters of the query."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from frontend.views.shared.numbers import number_in


def page_of(request: HttpRequest, rows: QuerySet[Any], size: int, by: str = "pk") -> tuple[list[Any], dict[str, Any]]:
    """The first `size` rows before `?before=`, newest first, and the template context for the links.

    The context has `before`, and `older`: the query of the next page, or "" if there are no more rows.
    """
    before = number_in(request, "before")
    listed = list((rows.filter(**{f"{by}__lt": before}) if before else rows)[:size + 1])
    query = request.GET.copy()
    if len(listed) > size:
        query["before"] = str(listed[size - 1].pk)
    return listed[:size], {"before": before, "older": query.urlencode() if len(listed) > size else ""}


def numbered_page(request: HttpRequest, rows: QuerySet[Any], size: int, most: int) -> tuple[list[Any], dict[str, Any]]:
    """The rows of `?page=` of a list of at most `most` rows, in any order, and the context of `page_of`.

    Page n also reads the rows of all pages before it, so `most` should be a few hundred.
    """
    page = min(max(number_in(request, "page") or 1, 1), most // size)
    listed = list(rows[(page - 1) * size:min(page * size + 1, most)])
    query = request.GET.copy()
    query["page"] = str(page + 1)
    return listed[:size], {"before": page > 1, "older": query.urlencode() if len(listed) > size else ""}
