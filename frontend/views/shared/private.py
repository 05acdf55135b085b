"""Pages that are for one reader alone."""

from django.http import HttpResponse


def private(response: HttpResponse) -> HttpResponse:
    """The answer, which neither browsers nor proxies keep."""
    response["Cache-Control"] = "private, no-store"
    return response
