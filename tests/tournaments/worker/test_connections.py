"""Connections of a worker to the database: two, regardless of the number of its slots."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from tests.factories import make_event, make_version, random_record
from tests.tournaments.conftest import make_archive
from tests.tournaments.matches.test_workers import slow_bot
from tests.tournaments.site import Site, finished
from tournaments.models import Game, Match, Submission
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import SubmissionStatus
from tournaments.services.bots.submissions import accept_upload
from tournaments.worker.database.match_server import MatchServer, MatchServerError, RemoteMatches

WHO = {"worker": "host:1", "tier": FULL_TIER}


@pytest.mark.workers
@pytest.mark.serial
@pytest.mark.slow
@pytest.mark.needs_servers
class TestAWorker:
    def test_has_two_connections_while_it_plays_in_four_slots_and_checks(self, site: Site, schedule: Any,
                                                                         staff: User) -> None:
        event = schedule({name: slow_bot(0.5) for name in ("ant", "bee", "cat", "dog")}, cycles=2)
        for name in ("eel", "fox"):
            accept_upload(archive=make_archive(name), filename=f"{name}.zip", uploader=staff, now=timezone.now())
        seen = []

        def all_is_done() -> bool:
            # PostgreSQL still lists a connection for a moment after its end.
            seen.append(len(listed() & listed()))
            accepted = Submission.objects.filter(status=SubmissionStatus.ACCEPTED, filename__in=["eel.zip", "fox.zip"])
            return finished(event) and accepted.count() == 2

        site.start("coordinator")
        site.start("worker", "--concurrency", "4")
        site.wait_for(all_is_done)
        assert 0 < max(seen) <= 2


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


def listed() -> set[int]:
    """IDs of the workers' connections, a tenth of a second from now."""
    time.sleep(0.1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE application_name LIKE %s", ["squarefield worker%"])
        return {pid for (pid,) in cursor.fetchall()}


def vars_of(row: Any) -> dict[str, Any]:
    """Values of the row's columns."""
    return {field.attname: field.value_from_object(row) for field in row._meta.concrete_fields}
