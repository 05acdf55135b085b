"""Rate limits of requests per minute, counted in Django's cache per account, or per network for anonymous clients.

Every answer states the limit and what is left of it (draft-ietf-httpapi-ratelimit-headers); 429 adds `Retry-After`.
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
    """Requests of a scope in the current minute: `limit` allowed, `used` so far, including this one."""

    scope: str
    limit: int
    used: int
    seconds_left: int

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)


class PerMinute(BaseThrottle):
    """Throttle for requests above the rates of settings.API_RATES; allows all requests while the cache is unavailable.

    Writes to a view, or its `throttle_methods`, also count towards its `throttle_scope`, if it has one.
    """

    def __init__(self) -> None:
        self.exceeded: Quota | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        scopes = ["signed-in" if request.user.is_authenticated else "anonymous"]
        if hasattr(view, "throttle_scope") and request.method in getattr(view, "throttle_methods", _WRITES):
            scopes.append(view.throttle_scope)
        quotas = [count(request, scope) for scope in scopes]
        # For the middleware below, which sees only Django's own request.
        request._request.api_quotas = quotas  # noqa: SLF001
        self.exceeded = next((quota for quota in quotas if quota.used > quota.limit), None)
        return self.exceeded is None

    def wait(self) -> float | None:
        """Return the number of seconds until the minute is over."""
        return None if self.exceeded is None else self.exceeded.seconds_left


def count(request: Request | HttpRequest, scope: str) -> Quota:
    """Count a request of this account or network, and return the state of its scope."""
    who = f"user:{request.user.pk}" if request.user.is_authenticated else f"network:{network_of_client(request)}"
    now = time()
    window, gone = divmod(now, WINDOW_SECONDS)
    key = f"api-rate:{scope}:{who}:{window:.0f}"
    # A cache that is unavailable reports the key as added, so every request counts as the first.
    if cache.add(key, 1, 2 * WINDOW_SECONDS):
        used = 1
    else:
        try:
            used = cache.incr(key)
        except (ValueError, OSError, RedisError):
            # The key, or the cache, was lost between the two calls.
            used = 1
    return Quota(scope, settings.API_RATES[scope], used, max(1, round(WINDOW_SECONDS - gone)))


class RateLimitHeadersMiddleware:
    """Middleware that adds the throttle's counts to every answer of the API."""

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
