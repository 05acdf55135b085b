"""Where a request comes from."""

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str:
    """The client's address: without a proxy the connection's, else the one that the outermost trusted proxy saw."""
    proxies = settings.REST_FRAMEWORK["NUM_PROXIES"]
    seen = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    if not proxies or not seen:
        return str(request.META.get("REMOTE_ADDR", ""))
    return seen[-min(proxies, len(seen))]
