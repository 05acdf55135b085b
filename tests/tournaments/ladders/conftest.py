"""A ladder, and an event whose games are rated."""

import pytest
from django.contrib.auth.models import User

from ratings.models import OfficialTable
from tests.factories import make_event, make_user, make_version, play_event
from tests.tournaments.conftest import NOW
from tests.tournaments.ladders.official import versions_of
from tournaments.models import Event, Ladder, Version
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.official import compute_due


@pytest.fixture(scope="module")
def played(module_db) -> Event:
    """An event of four bots whose 24 games are rated; tests must not change the object."""
    bots = [make_version(name) for name in ("ant", "bee", "cat", "dog")]
    return play_event(make_event(bots, ruleset="square-grid-hex", size=3, cycles=2, openings=True))


@pytest.fixture
def versions(db) -> list[Version]:
    return [make_version(name) for name in ("ant", "bee", "cat", "dog")]


@pytest.fixture
def ladder(db) -> Ladder:
    return create_ladder(ruleset="square-grid-hex", size=5, base_seconds=5)


@pytest.fixture
def mia(db) -> User:
    return make_user("mia")


@pytest.fixture(scope="module")
def computed(played) -> Event:
    """The event's table is up to date."""
    assert compute_due(NOW) == 1
    OfficialTable.objects.update(seconds=0.0)
    return played


@pytest.fixture
def event(computed, db) -> Event:
    """An event that is over, and whose table is up to date."""
    return Event.objects.get(pk=computed.pk)


@pytest.fixture
def fresh(computed, db) -> Event:
    """An event of the same bots on another ladder, of which nothing has been played."""
    return make_event(versions_of(computed), ruleset="square-grid-hex", size=4, openings=True)
