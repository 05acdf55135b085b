"""Slots by ruleset and tier, and the work that no worker may take."""

import io

import pytest
from django.core.management import call_command
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_event, make_version
from tests.tournaments.api import contract
from tournaments.models import Version
from tournaments.models.lifecycle import Gap
from tournaments.operations.workers import Crew, Fleet, fleet
from tournaments.selectors.events.forecast import of_event
from tournaments.services.matches.workers import Declaration, declare, drain

HEX = "square-grid-hex"


def start(name: str, *rulesets: str, tier: str = "standard", slots: int = 2, now=None):
    """Declare a worker that is online now."""
    return declare(Declaration(name, "h", tier, list(rulesets), 2, slots, "1"), now=now or timezone.now())


class TestAFleet:
    full = Crew([HEX, "squ"], "standard", draining=False, workers=1, slots=3)
    drained = Crew([HEX, "squ"], "standard", draining=True, workers=1, slots=3)
    reduced = Crew([HEX], "reduced", draining=False, workers=2, slots=2)

    def test_says_why_no_worker_takes_a_match(self):
        full, drained, reduced = self.full, self.drained, self.reduced
        for crews, trusted, gap in (
            ([], True, Gap.OFFLINE), ([full], False, None), ([full, drained], False, None),
            ([drained], True, Gap.DRAINING), ([drained, reduced], False, Gap.DRAINING),
            ([drained, reduced], True, None), ([reduced], False, Gap.TIER), ([reduced], True, None),
            ([full, reduced], False, None),
        ):
            assert Fleet(crews).gap(HEX, trusted=trusted) == gap, (crews, trusted)
        assert Fleet([full, reduced]).gap("scware", trusted=True) == Gap.RULESET
        # Submissions and questions have no ruleset.
        assert Fleet([full]).gap(None, trusted=False) is None
        assert Fleet([reduced]).gap(None, trusted=False) == Gap.TIER

    def test_counts_slots_of_workers_that_may_play_the_match(self):
        workers = Fleet([self.full, self.drained, self.reduced])
        assert (workers.slots(HEX, trusted=True), workers.slots(HEX, trusted=False)) == (5, 3)
        assert workers.by_tier() == {(HEX, "standard"): 3, ("squ", "standard"): 3, (HEX, "reduced"): 2}

    @pytest.mark.django_db
    def test_is_read_in_one_query_with_a_row_per_kind_of_worker(self, now, staff, django_assert_num_queries):
        for name in "abc":
            start(f"{name}:1", HEX, now=now)
        drain(worker=start("d:1", HEX, now=now), actor=staff, now=now)
        start("e:1", HEX, tier="reduced", slots=1, now=now)
        with django_assert_num_queries(1):
            found = fleet(now)
        assert sorted((crew.tier, crew.draining, crew.workers, crew.slots) for crew in found.crews) == [
            ("reduced", False, 1, 1), ("standard", False, 3, 6), ("standard", True, 1, 2)]


@pytest.mark.django_db
class TestSlotsByTier:
    @pytest.mark.slow
    def test_are_in_the_list_of_drain_and_in_the_api(self, staff):
        start("a:1", HEX)
        start("b:1", HEX, tier="reduced", slots=1)
        out = io.StringIO()
        call_command("drain", stdout=out)
        assert f"Slots for {HEX}: 1 of the reduced tier, 2 of the standard tier\n" in out.getvalue()
        assert "Slots for scware: none\n" in out.getvalue()
        client = APIClient()
        client.force_authenticate(staff)
        answer = client.get("/api/workers/slots/")
        contract.check(answer, "/api/workers/slots/")
        assert answer.json() == [{"ruleset": HEX, "tier": "reduced", "slots": 1},
                                 {"ruleset": HEX, "tier": "standard", "slots": 2}]

    def test_of_the_reduced_tier_do_not_shorten_the_forecast_for_users_bots(self, now):
        event = make_event([make_version(name) for name in ("Alder", "Basalt")], ruleset="squ")
        start("a:1", "squ", tier="reduced", now=now)
        entrants = list(Version.objects.all())
        assert of_event(event, entrants, 0, now).slots == 2
        entrants[0].trusted = False
        assert of_event(event, entrants, 0, now).slots == 0
