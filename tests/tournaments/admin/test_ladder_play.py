"""Bots on ladders, and challenges, in the admin."""

from datetime import timedelta

import pytest
from django.test import Client

from tests.factories import START, make_user, make_version
from tests.tournaments.admin.buttons import at, buttons, press
from tournaments.models import AuditEntry, Challenge, Ladder, LadderEntry, Match
from tournaments.services.ladders.challenges import challenge
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder


@pytest.fixture
def ladder(db: None) -> Ladder:
    return create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)


@pytest.fixture
def entry(ladder: Ladder) -> LadderEntry:
    return join(actor=make_user("mia"), ladder=ladder, version=make_version("Morphy"), now=START)


@pytest.fixture
def asked(ladder: Ladder) -> Challenge:
    return challenge(actor=make_user("mia"), ladder=ladder, first=make_version("Morphy"), matches=2, seed=1,
                     second=make_version("Steinitz", owner="noor"), now=START)


class TestABotOnALadder:
    def test_is_taken_off_its_ladder(self, desk: Client, entry: LadderEntry) -> None:
        assert buttons(desk, entry) == ["take_off"]
        assert press(desk, entry, "take_off") == [f"Morphy v1 on {entry.ladder} is removed."]
        entry.refresh_from_db()
        assert not entry.active
        assert buttons(desk, entry) == []
        assert AuditEntry.objects.get(verb="leave").actor.username == "organiser"

    def test_is_brought_back_from_a_suspension(self, desk: Client, entry: LadderEntry) -> None:
        LadderEntry.objects.update(probe_at=START + timedelta(hours=1), faults=3)
        assert buttons(desk, entry) == ["take_off", "bring_back"]
        assert press(desk, entry, "bring_back") == [f"Morphy v1 on {entry.ladder} is brought back."]
        entry.refresh_from_db()
        assert (entry.probe_at, entry.faults) == (None, 0)


class TestAChallenge:
    def test_is_cancelled(self, desk: Client, asked: Challenge) -> None:
        assert buttons(desk, asked) == ["cancel"]
        assert press(desk, asked, "cancel") == ["Morphy v1 challenges Steinitz v1 is cancelled."]
        assert set(Match.objects.values_list("status", flat=True)) == {"cancelled"}
        assert buttons(desk, asked) == []


class TestReadOnlyStaff:
    def test_cannot_change_entries_or_challenges(self, looker: Client, entry: LadderEntry, asked: Challenge) -> None:
        for row, verb in ((entry, "take_off"), (asked, "cancel")):
            assert buttons(looker, row) == []
            assert looker.post(at(type(row), "change", row.pk), {"verb": verb}).status_code == 403
        entry.refresh_from_db()
        assert entry.active
        assert set(Match.objects.values_list("status", flat=True)) == {"queued"}
