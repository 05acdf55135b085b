"""The limit on void attempts because of a starved host, and the pages that show it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.factories import make_event, make_version
from tournaments.models import Match, StarvedVoid
from tournaments.selectors.bots.starvation import Starvation, starvation
from tournaments.services.matches.matches import claim, void
from tournaments.services.matches.starvation import is_excusable, note

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(db):
    return make_version("ant")


@pytest.fixture
def lease(version, now):
    make_event([version, make_version("bee")], ruleset="square-grid-hex", size=3)
    return claim(match_id=Match.objects.get().pk, worker="here:1", tier="standard", now=now)


class TestStarvation:
    def test_excuses_a_version_up_to_the_daily_limit(self, lease, version, now, settings):
        settings.STARVED_VOIDS_PER_DAY = 1
        assert is_excusable(version, now)
        note(lease, version, now)
        assert not is_excusable(version, now)
        assert is_excusable(make_version("cat"), now)
        assert is_excusable(version, now + timedelta(days=1))

    def test_counts_an_attempt_once_and_none_that_is_judged(self, lease, version, now):
        for _ in range(2):
            note(lease, version, now)
            assert starvation(version.bot, now) == [Starvation(1, version.pk, 1, 20)]
        StarvedVoid.objects.all().delete()
        void(lease, "the lease ran out", now)
        note(lease, version, now)
        assert not StarvedVoid.objects.exists()

    @pytest.mark.slow
    def test_is_shown_on_the_bots_page_and_in_the_api(self, lease, version, client, settings):
        assert client.get(f"/api/bots/{version.bot.slug}/starvation/").json() == []
        settings.STARVED_VOIDS_PER_DAY = 1
        note(lease, version, timezone.now())
        page = client.get(f"/bots/{version.bot.slug}/").content.decode()
        assert "v1: 1 attempt (limit: 1) was cancelled in 24 hours because the server was overloaded." in page
        assert "The limit is reached: its next loss on time counts." in page
        assert client.get(f"/api/bots/{version.bot.slug}/starvation/").json() == [
            {"version": 1, "version_id": version.pk, "voids": 1, "ceiling": 1, "exhausted": True}]
