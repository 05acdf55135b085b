"""The cache, which counts attempts to sign in: on the site's Redis, for all its web processes together."""

import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


def cache_for(redis_url: str) -> dict[str, Any]:
    """Django's setting for a cache on this Redis, whose address is in Celery's form; one in memory on another broker.

    Celery writes `redis+socket:///path?virtual_host=1` for what redis-py calls `unix:///path?db=1`.
    """
    parts = urlsplit(redis_url)
    if parts.scheme == "redis+socket":
        number = parse_qs(parts.query).get("virtual_host", ["0"])[0]
        # Not by urlunsplit, which writes no "//" before a path alone.
        redis_url = f"unix://{parts.path}?db={number}"
    elif parts.scheme not in ("redis", "rediss", "unix"):
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    return {
        "BACKEND": "tournaments.site.cache.ForgivingRedisCache", "LOCATION": redis_url, "KEY_PREFIX": "squarefield",
        # A page waits for it, and does without it when need be.
        "OPTIONS": {"socket_connect_timeout": 0.3, "socket_timeout": 0.5},
    }


class ForgivingRedisCache(RedisCache):
    """Without its server it holds nothing, and no page fails for it: sign-in is not throttled in that time."""

    def add(self, *args: Any, **options: Any) -> bool:
        """Whether the key was not there. Without a server it was not: a lock, for one, is free."""
        return self._try(super().add, True, *args, **options)

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._try(super().get, default, key, default, version=version)

    def set(self, *args: Any, **options: Any) -> None:
        self._try(super().set, None, *args, **options)

    def delete(self, *args: Any, **options: Any) -> bool:
        return self._try(super().delete, False, *args, **options)

    def _try(self, act: Callable[..., Any], otherwise: Any, *args: Any, **options: Any) -> Any:
        try:
            return act(*args, **options)
        except (RedisError, OSError) as error:
            log.warning("the cache cannot be reached, so sign-in is not throttled: %s", error)
            return otherwise
