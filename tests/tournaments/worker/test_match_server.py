"""The main process of a worker, which claims and finishes matches for the processes that it forks."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.factories import make_event, make_version, random_record
from tournaments.models import Game, Match
from tournaments.models.leased import FULL_TIER
from tournaments.worker.database.match_server import MatchServer, MatchServerError, RemoteMatches

WHO = {"worker": "host:1", "tier": FULL_TIER}


@pytest.mark.django_db(transaction=True)
class TestTheMainProcess:
    @pytest.fixture
    def matches(self) -> Iterator[RemoteMatches]:
        server = MatchServer()
        server.start()
        matches = RemoteMatches(server.open())
        yield matches
        # The server closes its connection with its last line.
        matches._file.close()

    @pytest.fixture
    def match(self) -> Match:
        make_event([make_version(name) for name in ("ant", "bee")], ruleset="square-grid-hex", size=3)
        return Match.objects.get()

    @pytest.mark.database
    def test_claims_and_finishes_a_match_for_another_process(self, matches: RemoteMatches, match: Match) -> None:
        lease = matches.claim(match_id=match.pk, **WHO)
        assert lease is not None
        match.refresh_from_db()
        for mine, row in ((lease.work, match), (lease.attempt, match.attempts.get()), (lease.work.ladder, match.ladder),
                          (lease.work.first, match.first), (lease.work.second.bot, match.second.bot)):
            assert vars_of(mine) == vars_of(row)
        assert matches.claim(match_id=match.pk, **WHO) is None

        records = [random_record("square-grid-hex", 3, ("ant", "bee"), seed) for seed in (1, 2)]
        assert matches.finish(lease, records)
        assert not matches.finish(lease, records)
        assert list(Game.objects.order_by("number").values_list("record", flat=True)) == [
            record.to_dict() for record in records]

    def test_voids_only_what_the_same_process_has_claimed(self, matches: RemoteMatches, match: Match) -> None:
        lease = matches.claim(match_id=match.pk, **WHO)
        assert lease is not None
        server = MatchServer()
        server.start()
        with pytest.raises(MatchServerError):
            RemoteMatches(server.open()).void(lease, "a test")
        assert matches.is_excusable(lease.work.first)
        matches.note_starved(lease, lease.work.first)
        assert matches.void(lease, "a test")
        assert match.attempts.get().reason == "a test"


def vars_of(row: Any) -> dict[str, Any]:
    """Values of the row's columns."""
    return {field.attname: field.value_from_object(row) for field in row._meta.concrete_fields}
