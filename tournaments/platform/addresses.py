"""Client addresses of requests."""

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str:
    """Return the client's address: the connection's without a proxy, or as seen by the outermost trusted proxy."""
    proxies = settings.REST_FRAMEWORK["NUM_PROXIES"]
    seen = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    if not proxies or not seen:
        return str(request.META.get("REMOTE_ADDR", ""))
    return seen[-min(proxies, len(seen))]
