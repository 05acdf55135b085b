"""The setup of the demo."""

import pytest

from tests.factories import START, make_event, make_user, make_version
from tournaments.models import LadderEntry
from tournaments.setup.demo.plan import join_ladders


@pytest.mark.django_db
class TestTheDemo:
    def test_puts_the_reference_bots_on_its_ladders_in_every_run(self):
        versions = [make_version(name) for name in ("random", "greedy", "searcher")]
        events = [make_event(versions, ruleset=ruleset, size=4) for ruleset in ("squ", "scware")]
        organiser = make_user("organiser", staff=True)
        for _ in range(2):
            join_ladders(events, versions, organiser, START)
            assert LadderEntry.objects.filter(active=True).count() == 6
