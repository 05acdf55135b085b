"""A user with a second factor, and a clock that only the test advances."""

import pytest
from django.contrib.auth.models import User

from tests.factories import make_user
from tests.security.accounts.codes import Clock, switched_on
from tournaments.services.accounts import second_factor as verbs


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    stopped = Clock()
    monkeypatch.setattr(verbs, "step_of", lambda now: stopped.step)
    return stopped


@pytest.fixture
def mia(clock: Clock) -> User:
    """Return a user with a second factor and a confirmed e-mail address."""
    user = make_user("mia")
    User.objects.filter(pk=user.pk).update(email="mia@example.org")
    user.emailaddress_set.create(email="mia@example.org", verified=True, primary=True)
    user.codes = switched_on(user, clock)
    return user
