"""A finished event, made once per module, and a reader that checks answers against the schema."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.factories import START, make_event, make_version, play_event, play_match
from tests.tournaments.api import contract
from tournaments.models import Event, Match
from tournaments.services.ladders.official import compute_due

Read = Callable[..., Any]


@pytest.fixture(scope="module")
def event(module_db: None) -> Event:
    """A finished round-robin of three bots; one game was lost by conduct."""
    event = make_event([make_version(name) for name in ("Morphy", "Anderssen", "Steinitz")], size=4,
                       ruleset="square-grid-hex")
    play_match(Match.objects.filter(event=event).order_by("pk")[0], fault_after=3)
    play_event(event)
    compute_due(START + timedelta(days=1))
    return event


@pytest.fixture
def read(anyone: APIClient) -> Read:
    """Return a function that gets an operation without sign-in and returns its JSON, checked against the schema."""

    def get(operation: str, key: object = "", **query: Any) -> Any:
        response = anyone.get(operation.replace("{slug}", str(key)).replace("{id}", str(key)), query)
        assert response.status_code == 200, response.content
        contract.check(response, operation)
        return response.json()

    return get
