"""Lists whose pages follow one another by id, with what was chosen in the address."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from frontend.views.shared.numbers import number_in


def page_of(request: HttpRequest, rows: QuerySet[Any], size: int, by: str = "pk") -> tuple[list[Any], dict[str, Any]]:
    """The first `size` rows, newest first, of those before `?before=`, and the links for the template.

    These are `before`, and `older`: the query of the address with the rows after them, or "" when there are none.
    """
    before = number_in(request, "before")
    listed = list((rows.filter(**{f"{by}__lt": before}) if before else rows)[:size + 1])
    query = request.GET.copy()
    if len(listed) > size:
        query["before"] = str(listed[size - 1].pk)
    return listed[:size], {"before": before, "older": query.urlencode() if len(listed) > size else ""}
