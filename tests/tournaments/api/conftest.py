"""Clients of the API: anyone, an author, an organiser."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_user
from tests.tournaments.api import contract
from tournaments.services.accounts.tokens import make_token


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """Import what the first request needs, a second's work that no single test must pay for."""
    reverse("schema")
    contract.schema()


@pytest.fixture
def anyone(db: None) -> APIClient:
    """A client that is not signed in."""
    return APIClient()


@pytest.fixture
def author(db: None) -> APIClient:
    """A bot's author, mia, with a token."""
    return _with_token(make_user("mia"))


@pytest.fixture
def organiser(db: None) -> APIClient:
    """The site's organiser, with a token."""
    return _with_token(make_user("organiser", staff=True))


def _with_token(user: User) -> APIClient:
    client = APIClient()
    _, text = make_token(user=user, name="tests", now=timezone.now())
    client.credentials(HTTP_AUTHORIZATION=f"Token {text}")
    return client
