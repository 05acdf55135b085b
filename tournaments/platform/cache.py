"""Cache on the Redis that all web processes share: counts of tries, and rendered pages."""

import io
import pickle
import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.core.cache.backends.redis import RedisCache, RedisSerializer
from django.utils.safestring import SafeString
from redis.exceptions import RedisError

from tournaments.platform.outage import Outage


def cache_for(redis_url: str) -> dict[str, Any]:
    """Return Django's setting for a cache on this Redis, given by Celery's URL; in memory for other brokers."""
    address = redis_address(redis_url)
    if address is None:
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    return {
        "BACKEND": "tournaments.platform.cache.ForgivingRedisCache", "LOCATION": address, "KEY_PREFIX": "squarefield",
        # Short, because pages wait for the cache; they also work without it.
        "OPTIONS": {"socket_connect_timeout": 0.3, "socket_timeout": 0.5,
                    "serializer": "tournaments.platform.cache.PlainSerializer"},
    }


def redis_address(url: str) -> str | None:
    """Return redis-py's URL for Celery's URL of a broker; None if the broker is not Redis.

    Celery's `redis+socket:///path?virtual_host=1` is `unix:///path?db=1` for redis-py.
    """
    parts = urlsplit(url)
    if parts.scheme == "redis+socket":
        number = parse_qs(parts.query).get("virtual_host", ["0"])[0]
        # Not with urlunsplit, which omits "//" before a path without a host.
        return f"unix://{parts.netloc}{parts.path}?db={number}"
    return url if parts.scheme in ("redis", "rediss", "unix") else None


class Tampered(RedisError):
    """The cache contains a value that this site did not store."""


class PlainSerializer(RedisSerializer):
    """Serializer that loads numbers, texts, bytes and containers of these, but nothing that would call code.

    Django's own serializer loads any pickle: an attacker who can write to Redis, for example from a compromised worker,
    could run code in the web processes.
    """

    def loads(self, data: bytes) -> Any:
        """Return the value. Raises Tampered."""
        try:
            return int(data)
        except ValueError:
            try:
                return _Plain(io.BytesIO(data)).load()
            except Exception as error:
                raise Tampered(f"not a value stored by this site: {type(error).__name__}") from error


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        # A part of a page: text marked as safe HTML.
        if (module, name) == (SafeString.__module__, SafeString.__name__):
            return SafeString
        raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")


class ForgivingRedisCache(RedisCache):
    """Redis cache that behaves as empty while its server is unavailable, so that pages neither fail nor wait.

    Nothing is throttled during that time. The server is retried after PAUSE_SECONDS.
    """

    PAUSE_SECONDS = 5.0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._outage = Outage("the cache")
        self._next_try = 0.0

    def add(self, *args: Any, **options: Any) -> bool:
        """Add the key. Returns whether it was absent; without a server it counts as absent, so a lock is free."""
        return self._try(super().add, True, *args, **options)

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._try(super().get, default, key, default, version=version)

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        return self._try(super().get_many, {}, keys, version=version)

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
            self._outage.met(error, "nothing is throttled, and pages are rendered for each request")
            self._next_try = time.monotonic() + self.PAUSE_SECONDS
            return otherwise
        self._outage.over()
        return done
