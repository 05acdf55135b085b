"""Suspension of bots on ladders after faults, and the probe matches that end it."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from tests.factories import make_event, make_user, make_version, random_record
from tournaments.models import AuditEntry, Delivery, LadderEntry, Match, Profile
from tournaments.models.leased import FULL_TIER
from tournaments.services.ladders.ladder_play import bring_back, join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.matches.conduct import FAULTS_IN_ROW, FIRST_REST, rest_after
from tournaments.services.matches.matches import claim, finish

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder(db):
    return create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5)


@pytest.fixture
def alder(ladder, now):
    """A bot on the ladder whose owner gets mail about everything."""
    version = make_version("Alder")
    User.objects.filter(pk=version.bot.owner_id).update(email="mia@example.org")
    Profile.objects.update_or_create(user=version.bot.owner,
                                     defaults={"mail_on": ["version.rested", "version.well"]})
    return join(actor=version.bot.owner, ladder=ladder, version=version, now=now)


@pytest.fixture
def basalt(ladder, now):
    version = make_version("Basalt", owner="otto")
    return join(actor=version.bot.owner, ladder=ladder, version=version, now=now)


def play(culprit, faults, now):
    """Pair the only two bots and play one match; `faults` says in which games the culprit forfeits."""
    pair_ladders(now)
    match = Match.objects.filter(status="queued").order_by("pk")[0]
    finish_with(match, culprit, faults, now)
    Match.objects.filter(status="queued").update(status="cancelled", ended_at=now)
    culprit.refresh_from_db()


def finish_with(match, culprit, faults, now):
    lease = claim(match_id=match.pk, worker="w", tier=FULL_TIER, now=now)
    seats = [(match.first_id, match.second_id), (match.second_id, match.first_id)]
    records = []
    for pair, faulty in zip(seats, faults, strict=True):
        mine = pair.index(culprit.version_id)
        # Seat 0 moves first, so after an even number of plies it is to move and forfeits.
        fault_after = 2 + mine if faulty else None
        records.append(random_record(match.ruleset, match.ladder.size, ("x", "y"), match.pk, fault_after=fault_after))
    assert finish(lease, records, now)


def told():
    return list(Delivery.objects.order_by("pk").values_list("kind", flat=True))


class TestFaults:
    def test_are_counted_consecutively(self, alder, basalt, now):
        play(alder, [False, True], now)
        assert alder.faults == 1
        play(alder, [True, False], now)
        assert alder.faults == 0
        play(alder, [True, True], now)
        assert (alder.faults, alder.probe_at) == (2, None)

    def test_of_the_opponent_do_not_count(self, alder, basalt, now):
        play(alder, [True, True], now)
        basalt.refresh_from_db()
        assert (basalt.faults, alder.faults) == (0, 2)

    @pytest.mark.database
    def test_three_in_a_row_suspend_the_bot_and_notify_its_managers(self, alder, basalt, now):
        play(alder, [True, True], now)
        play(alder, [True, False], now)
        assert (alder.faults, alder.probe_at, alder.rests) == (FAULTS_IN_ROW, now + FIRST_REST, 1)
        assert told() == ["version.rested"]
        payload = Delivery.objects.get().payload
        assert {name: payload[name] for name in ("bot", "version", "ladder")} == {
            "bot": alder.bot.slug, "version": 1, "ladder": alder.ladder.slug}
        assert payload["reason"] == "3 games in a row lost by its fault, most recently: protocol"
        entry = AuditEntry.objects.filter(verb="rest").get()
        assert (entry.actor, entry.detail["reason"]) == (None, payload["reason"])
        assert pair_ladders(now) == 0

    def test_in_events_do_not_count(self, alder, basalt, now):
        event = make_event([alder.version, basalt.version], ruleset="square-grid-hex", size=3)
        finish_with(Match.objects.get(event=event), alder, [True, True], now)
        alder.refresh_from_db()
        assert alder.faults == 0

    def test_of_an_earlier_version_do_not_count(self, alder, basalt, now):
        pair_ladders(now)
        match = Match.objects.filter(status="queued").order_by("pk")[0]
        lease = claim(match_id=match.pk, worker="w", tier=FULL_TIER, now=now)
        join(actor=alder.bot.owner, ladder=alder.ladder, version=make_version("Alder"), now=now)
        records = [random_record(match.ruleset, 3, ("x", "y"), 1, fault_after=fault_after) for fault_after in (2, 3)]
        assert finish(lease, records, now)
        alder.refresh_from_db()
        assert alder.faults == 0


class TestASuspendedBot:
    @pytest.fixture
    def rested(self, alder, basalt, now):
        play(alder, [True, True], now)
        play(alder, [True, True], now)
        assert alder.probe_at == now + FIRST_REST
        return alder

    def test_is_given_one_match_when_its_suspension_ends(self, rested, now):
        assert pair_ladders(now + FIRST_REST - timedelta(seconds=1)) == 0
        assert pair_ladders(now + FIRST_REST) == 1
        assert pair_ladders(now + FIRST_REST) == 0

    def test_is_healthy_after_a_match_without_faults(self, rested, now):
        play(rested, [False, False], now + FIRST_REST)
        assert (rested.probe_at, rested.faults, rested.rests) == (None, 0, 1)
        assert told() == ["version.rested", "version.well"]
        assert AuditEntry.objects.filter(verb="end rest").exists()

    @pytest.mark.parametrize("faults", [[True, False], [False, True]])
    def test_is_suspended_for_longer_after_another_fault(self, rested, now, faults):
        probed = now + FIRST_REST
        play(rested, faults, probed)
        assert (rested.probe_at, rested.rests) == (probed + 2 * FIRST_REST, 2)
        assert told() == ["version.rested", "version.rested"]

    def test_is_not_judged_by_a_match_from_before_its_suspension(self, alder, basalt, now):
        pair_ladders(now)
        old = Match.objects.filter(status="queued").order_by("-pk")[0]
        until = now + timedelta(hours=1)
        LadderEntry.objects.filter(pk=alder.pk).update(probe_at=until, rests=1)
        finish_with(old, alder, [False, False], until + timedelta(minutes=5))
        alder.refresh_from_db()
        assert alder.probe_at == until

    def test_may_be_brought_back_by_its_author(self, rested, now):
        bring_back(actor=rested.bot.owner, ladder=rested.ladder, bot=rested.bot, now=now)
        assert pair_ladders(now) == 2

    def test_does_not_prevent_others_from_playing(self, rested, ladder, now):
        for name in ("Cinder", "Dune"):
            version = make_version(name, owner=name)
            join(actor=make_user(name), ladder=ladder, version=version, now=now)
        pair_ladders(now)
        playing = {bot for pair in Match.objects.filter(status="queued").values_list("first__bot", "second__bot")
                   for bot in pair}
        assert len(playing) == 3
        assert rested.bot_id not in playing


class TestRestAfter:
    def test_doubles_up_to_a_day(self):
        assert {rests: rest_after(rests) // timedelta(minutes=1) for rests in (0, 1, 2, 7, 8, 60)} == {
            0: 10, 1: 20, 2: 40, 7: 1280, 8: 1440, 60: 1440}
