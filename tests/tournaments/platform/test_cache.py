"""The cache on the site's Redis, without which pages still work."""

import pytest
from django.core.cache.backends.locmem import LocMemCache
from django.utils.module_loading import import_string

from tournaments.platform.cache import cache_for


def _cache(url):
    setting = cache_for(url)
    location = setting.pop("LOCATION", "")
    return import_string(setting.pop("BACKEND"))(location, setting)


class TestCacheFor:
    def test_understands_celerys_form_of_an_address(self):
        for given, location in (
            ("redis://h:6379/0", "redis://h:6379/0"), ("rediss://:p@h/1", "rediss://:p@h/1"),
            ("redis+socket:///run/r.sock", "unix:///run/r.sock?db=0"),
            ("redis+socket:///run/r.sock?virtual_host=3", "unix:///run/r.sock?db=3"),
            ("redis+socket://u:p@/run/r.sock", "unix://u:p@/run/r.sock?db=0"),
        ):
            assert cache_for(given)["LOCATION"] == location

    def test_uses_memory_with_another_broker(self):
        assert isinstance(_cache("sentinel://h:26379"), LocMemCache)


class TestTheCache:
    @pytest.mark.broker
    def test_is_shared_through_redis(self, redis_url):
        one, other = _cache(redis_url), _cache(redis_url)
        assert one.add("attempts", [1])
        assert not other.add("attempts", [2])
        assert other.get("attempts") == [1]
        other.set("attempts", [3], 60)
        assert one.get("attempts") == [3]
        assert one.delete("attempts")
        assert other.get("attempts", "none") == "none"

    def test_allows_everything_without_its_server(self, caplog):
        cache = _cache("redis+socket:///nowhere/redis.sock")
        assert cache.add("lock", 1)
        assert cache.add("lock", 1)
        cache.set("key", 1, 60)
        assert cache.get("key", "none") == "none"
        assert not cache.delete("key")
        assert caplog.text.count("the cache is unavailable, nothing is throttled") == 1
