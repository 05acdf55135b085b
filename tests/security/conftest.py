"""Fixtures for the tests that request every URL of a site with secrets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from tests.security.planted import plant
from tests.tournaments.api.roles import World
from tests.tournaments.conftest import (  # noqa: F401 - accounts, bots and processes of the service's tests
    archives,
    author,
    broker,
    enter,
    schedule,
    site,
    staff,
)


@pytest.fixture(scope="module")
def planted(module_db: None, redis_server: str) -> Iterator[World]:
    with override_settings(MAX_ATTEMPTS=1):
        yield plant()


@pytest.fixture
def own_counters(settings: Any, tmp_path: Path) -> None:
    """Configure one proxy, and a cache and a storage of the test's own: failures are counted by address."""
    settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache",
                                                      "LOCATION": str(tmp_path)}}
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"],
                                                          "OPTIONS": {"location": str(tmp_path)}}}
