"""Pages for one user only."""

from django.http import HttpResponse


def private(response: HttpResponse) -> HttpResponse:
    """Mark the response so that neither browsers nor proxies store it."""
    response["Cache-Control"] = "private, no-store"
    return response
