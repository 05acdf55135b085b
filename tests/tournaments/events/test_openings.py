"""How many openings an event has and needs."""

import pytest

from tests.factories import make_event, make_version
from tournaments.formats import registry
from tournaments.selectors.events.openings import Openings, of_event


class TestOpeningsOfAnEvent:
    @pytest.mark.django_db
    @pytest.mark.parametrize(("size", "cycles", "repeat"), [(4, 1, False), (4, 2, True), (6, 69, False), (6, 70, True)])
    def test_repeat_if_there_are_fewer_than_two_entrants_play_matches(self, size, cycles, repeat):
        event = make_event([make_version(name) for name in "ab"], ruleset="squ", size=size, cycles=cycles,
                           openings=True, started=False)
        found = of_event(event)
        assert found == Openings(1 if size == 4 else 69, cycles)
        assert found.repeat is repeat

    @pytest.mark.parametrize(("slug", "most"), [("round-robin", 2), ("swiss", 2), ("knockout", 6),
                                                ("double knockout", 18)])
    def test_count_the_extra_matches_and_the_rematches_of_knockouts(self, slug, most):
        assert registry.find(slug).most_matches_of_a_pair(2) == most
