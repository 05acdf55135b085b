"""The cache of a worker process between matches."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import make_event, make_version
from tournaments.models import Match
from tournaments.worker.database.metadata_cache import MetadataCache

pytestmark = pytest.mark.django_db


class TestMetadataCache:
    def test_gives_a_match_its_own_versions_and_its_ladder(self):
        event = make_event([make_version(name) for name in ("ant", "bee", "cat")], ruleset="square-grid-hex", size=3)
        cache = MetadataCache()
        for match in Match.objects.filter(event=event):
            cache.complete(match)
            assert (match.first.pk, match.second.pk, match.ladder) == (match.first_id, match.second_id, event.ladder)

    def test_reads_nothing_twice(self):
        make_event([make_version(name) for name in ("ant", "bee", "cat")], ruleset="square-grid-hex", size=3)
        cache, matches = MetadataCache(), list(Match.objects.all())
        for match in matches:
            cache.complete(match)
        with CaptureQueriesContext(connection) as queries:
            for match in matches:
                cache.complete(match)
                assert match.first.bot.name != match.second.bot.name
        assert len(queries) == 0
