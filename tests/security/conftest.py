"""Fixtures for the tests that request every URL of a site with secrets."""

from typing import Any

import pytest

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


@pytest.fixture
def planted(db: None, settings: Any) -> World:
    settings.MAX_ATTEMPTS = 1
    return plant()
