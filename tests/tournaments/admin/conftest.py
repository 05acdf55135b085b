"""The organiser's desk, and who sits at it: a superuser, and staff that may only look."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from tests.factories import make_event, make_user, make_version, play_event, play_match, spoil_match
from tests.frontend.conftest import browser_type_launch_args, look  # noqa: F401 - the browser's fixtures
from tournaments.models import Event, Match


@pytest.fixture
def desk(db: None) -> Client:
    """The organiser, signed in."""
    return _signed_in(make_user("organiser", staff=True))


@pytest.fixture
def looker(db: None) -> Client:
    """Staff with the right to view everything, and no other."""
    user = make_user("looker")
    user.is_staff = True
    user.save()
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return _signed_in(user)


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def event(db: None, settings: Any) -> Event:
    """A round-robin of three bots: one game was lost by conduct, one match is void for good, one is rated."""
    settings.MAX_ATTEMPTS = 1
    event = make_event([make_version(name) for name in ("Morphy", "<b>Anderssen</b>", "Steinitz")], size=5)
    void, fault, last = Match.objects.order_by("pk")
    spoil_match(void, "the disk of <worker> was full")
    play_match(fault, fault_after=3)
    play_match(last)
    return play_event(event, matches_to_play=0)
