"""What a worker process keeps from match to match."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import make_event, make_version
from tournaments.models import Match
from tournaments.worker.metadata_cache import MetadataCache

pytestmark = pytest.mark.django_db


class TestKnown:
    def test_gives_a_match_its_own_versions_and_its_ladder(self):
        event = make_event([make_version(name) for name in ("ant", "bee", "cat")], ruleset="square-grid-hex", size=3)
        known = MetadataCache()
        for match in Match.objects.filter(event=event):
            known.complete(match)
            assert (match.first.pk, match.second.pk, match.ladder) == (match.first_id, match.second_id, event.ladder)

    def test_reads_nothing_twice(self):
        make_event([make_version(name) for name in ("ant", "bee", "cat")], ruleset="square-grid-hex", size=3)
        known, matches = MetadataCache(), list(Match.objects.all())
        for match in matches:
            known.complete(match)
        with CaptureQueriesContext(connection) as queries:
            for match in matches:
                known.complete(match)
                assert match.first.bot.name != match.second.bot.name
        assert len(queries) == 0
