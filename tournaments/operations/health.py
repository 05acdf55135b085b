"""Health checks for load balancers and container engines.

    /health/live     200: the process answers. It depends on nothing else, so that a lost database restarts nothing.
    /health/ready    200 when pages can be served, else 503; the JSON names what is missing.

They are answered before the rest of the middleware, because a health check uses an address instead of the site's name,
and does not use TLS.
"""

import functools
import time
from collections.abc import Callable
from typing import Final

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse

from tournaments.platform.cache import cache_for

# Reading all migrations takes a while, and the endpoint is public.
_CACHED_SECONDS: Final = 5


class HealthMiddleware:
    """Middleware that answers the two health checks, and passes on all other requests."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == "/health/live":
            return _answer({"status": "ok"})
        if request.path_info == "/health/ready":
            return _ready()
        return self._get_response(request)


def _ready() -> HttpResponse:
    """Return the readiness. It does not depend on Redis: without Redis, pages are served and matches wait."""
    missing = _missing()
    facts = {"status": "unready" if missing else "ready", "missing": missing,
             "redis": "reachable" if _redis_answers() else "unreachable: matches wait"}
    return _answer(facts, status=503 if missing else 200)


def _answer(facts: dict[str, object], *, status: int = 200) -> HttpResponse:
    return JsonResponse(facts, status=status, headers={
        "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"})


def _missing() -> list[str]:
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        behind = _migrations_to_apply(int(time.monotonic() // _CACHED_SECONDS))
    except DatabaseError as error:
        connection.close()
        # Only the type: the message may contain the names of hosts and accounts.
        return [f"the database cannot be reached ({type(error).__name__})"]
    return [f"{behind} migrations have not been applied: run `manage.py migrate`"] if behind else []


@functools.lru_cache(maxsize=1)
def _migrations_to_apply(_period: int) -> int:
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def redis_client() -> redis.Redis:
    """Return a client for the broker that waits at most half a second. It does not connect yet."""
    return redis.Redis.from_url(cache_for(settings.REDIS_URL)["LOCATION"], socket_connect_timeout=0.3,
                                socket_timeout=0.5)


def _redis_answers() -> bool:
    try:
        with redis_client() as client:
            return bool(client.ping())
    except (redis.RedisError, OSError):
        return False
