"""The cache, on the Redis of all web processes together: it counts tries, and keeps what is drawn for many."""

import io
import pickle
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.core.cache.backends.redis import RedisCache, RedisSerializer
from django.utils.safestring import SafeString
from redis.exceptions import RedisError

from tournaments.platform.outage import Outage


def cache_for(redis_url: str) -> dict[str, Any]:
    """Django's setting for a cache on this Redis, its address in Celery's form; one in memory on another broker."""
    address = redis_address(redis_url)
    if address is None:
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    return {
        "BACKEND": "tournaments.platform.cache.ForgivingRedisCache", "LOCATION": address, "KEY_PREFIX": "squarefield",
        # A page waits for it, and does without it when need be.
        "OPTIONS": {"socket_connect_timeout": 0.3, "socket_timeout": 0.5,
                    "serializer": "tournaments.platform.cache.PlainSerializer"},
    }


def redis_address(url: str) -> str | None:
    """A broker's address in Celery's form as redis-py takes it; None for a broker that is no Redis.

    Celery writes `redis+socket:///path?virtual_host=1` for what redis-py calls `unix:///path?db=1`.
    """
    parts = urlsplit(url)
    if parts.scheme == "redis+socket":
        number = parse_qs(parts.query).get("virtual_host", ["0"])[0]
        # Not by urlunsplit, which writes no "//" before a path alone.
        return f"unix://{parts.path}?db={number}"
    return url if parts.scheme in ("redis", "rediss", "unix") else None


class Tampered(RedisError):
    """Something in the cache was not put there by this site."""


class PlainSerializer(RedisSerializer):
    """Takes back numbers, texts, bytes and what is made of these, and nothing that would have to be called.

    Django's own loads any pickle: who could write to Redis, such as a worker that was taken over, would run code in the
    web processes.
    """

    def loads(self, data: bytes) -> Any:
        """The value. Raises Tampered."""
        try:
            return int(data)
        except ValueError:
            try:
                return _Plain(io.BytesIO(data)).load()
            except Exception as error:
                raise Tampered(f"not a value of this site's: {type(error).__name__}") from error


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        # A part of a page, which is a text that is marked as HTML.
        if (module, name) == (SafeString.__module__, SafeString.__name__):
            return SafeString
        raise pickle.UnpicklingError(f"{module}.{name} is no plain value")


class ForgivingRedisCache(RedisCache):
    """Without its server it holds nothing, and no page fails for it or waits for it again and again.

    Nothing is throttled in that time. It is tried again after PAUSE_SECONDS.
    """

    PAUSE_SECONDS = 5.0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._outage = Outage("the cache")
        self._next_try = 0.0

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
        if time.monotonic() < self._next_try:
            return otherwise
        try:
            done = act(*args, **options)
        except (RedisError, OSError) as error:
            self._outage.met(error, "nothing is throttled, and pages are drawn for everybody anew")
            self._next_try = time.monotonic() + self.PAUSE_SECONDS
            return otherwise
        self._outage.over()
        return done
