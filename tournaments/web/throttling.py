"""How many requests a minute: counted per account, or per network of a client that is not signed in, in Django's cache.

Every answer says what is allowed and what is left (draft-ietf-httpapi-ratelimit-headers), 429 also `Retry-After`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import time
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from tournaments.web.visitors import network_of_client

WINDOW_SECONDS: Final = 60
_WRITES: Final = ("POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Quota:
    """A scope's requests in the present minute: `limit` allowed, `used` so far, this one counted."""

    scope: str
    limit: int
    used: int
    seconds_left: int

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)


class PerMinute(BaseThrottle):
    """Refuses what is over the rates of settings.API_RATES; lets all through while the cache is away.

    A view's writes, or its `throttle_methods`, count for its `throttle_scope` as well, if it names one.
    """

    def __init__(self) -> None:
        self.exceeded: Quota | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        who = f"user:{request.user.pk}" if request.user.is_authenticated else f"network:{network_of_client(request)}"
        scopes = ["signed-in" if request.user.is_authenticated else "anonymous"]
        if hasattr(view, "throttle_scope") and request.method in getattr(view, "throttle_methods", _WRITES):
            scopes.append(view.throttle_scope)
        quotas = [_count(scope, who) for scope in scopes]
        # For the middleware below, which sees only Django's own request.
        request._request.api_quotas = quotas  # noqa: SLF001
        self.exceeded = next((quota for quota in quotas if quota.used > quota.limit), None)
        return self.exceeded is None

    def wait(self) -> float | None:
        """Seconds until the minute is over."""
        return None if self.exceeded is None else self.exceeded.seconds_left


def _count(scope: str, who: str) -> Quota:
    """Count a request."""
    now = time()
    window, gone = divmod(now, WINDOW_SECONDS)
    key = f"api-rate:{scope}:{who}:{window:.0f}"
    # A cache that is away says that it has added the key: every request is then the first.
    if cache.add(key, 1, 2 * WINDOW_SECONDS):
        used = 1
    else:
        try:
            used = cache.incr(key)
        except (ValueError, OSError, RedisError):
            # Dropped or gone between the two calls.
            used = 1
    return Quota(scope, settings.API_RATES[scope], used, max(1, round(WINDOW_SECONDS - gone)))


class RateLimitHeadersMiddleware:
    """Says on every answer of the API what the throttle counted."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        quotas: list[Quota] = getattr(request, "api_quotas", [])
        if quotas:
            response["RateLimit-Policy"] = ", ".join(
                f'"{quota.scope}";q={quota.limit};w={WINDOW_SECONDS}' for quota in quotas)
            response["RateLimit"] = ", ".join(
                f'"{quota.scope}";r={quota.remaining};t={quota.seconds_left}' for quota in quotas)
        return response
