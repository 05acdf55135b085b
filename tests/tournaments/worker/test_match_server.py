"""The main process of a worker, which claims and finishes matches for the processes that it forks."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError, connection

from tests.factories import make_event, make_version, random_record
from tournaments.models import Game, Match
from tournaments.models.leased import FULL_TIER
from tournaments.worker.database import match_server
from tournaments.worker.database.match_server import MatchServer, MatchServerError, RemoteMatches
from tournaments.worker.database.matches import OwnMatches

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

    @pytest.mark.needs_servers
    def test_finishes_a_match_although_the_database_has_restarted(self, matches: RemoteMatches, match: Match) -> None:
        lease = matches.claim(match_id=match.pk, **WHO)
        assert lease is not None
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                           "WHERE datname = current_database() AND pid <> pg_backend_pid()")
        # At once, as a busy worker does, which does not test its connection first.
        records = [random_record("square-grid-hex", 3, ("ant", "bee"), seed) for seed in (1, 2)]
        assert matches.finish(lease, records)

    def test_reports_results_again_while_the_database_is_away_and_claims_nothing_then(
        self, matches: RemoteMatches, match: Match, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        lease = matches.claim(match_id=match.pk, **WHO)
        assert lease is not None
        tries = []

        def away(*_: Any, **__: Any) -> bool:
            tries.append(1)
            if len(tries) < 4:
                raise OperationalError("no connection")
            return True

        monkeypatch.setattr(match_server, "_PAUSE_SECONDS", 0.001)
        monkeypatch.setattr(OwnMatches, "claim", away)
        monkeypatch.setattr(OwnMatches, "void", away)
        with pytest.raises(MatchServerError, match="no connection"):
            matches.claim(match_id=match.pk, **WHO)
        assert matches.void(lease, "a test")
        assert len(tries) == 4
        assert caplog.text.count("the database is unavailable, results of matches wait") == 1

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
