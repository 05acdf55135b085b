"""The site with secrets, for the tests that go through all of its addresses."""

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
