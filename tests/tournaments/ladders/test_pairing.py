"""Matches that the coordinator makes on ladders: how many, of whom, and with which facts about the bots."""

import random
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection

from ratings.models import OfficialLine, OfficialTable
from tests.factories import make_rating, make_user, make_version, play_match
from tests.tournaments.conftest import NOW
from tournaments.models import Ban, Ladder, LadderEntry, Match, Profile, Version, Worker
from tournaments.models.lifecycle import MatchStatus
from tournaments.pairing.matchmaking import NEW_MATCHES
from tournaments.services.ladders import matchmaking
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import LEAST_DEPTH, pair_ladders

pytestmark = pytest.mark.django_db
HEX = "square-grid-hex"


@pytest.fixture(scope="module")
def enrolled(module_db):
    """Ten bots on a ladder, each with a different owner."""
    ladder = create_ladder(ruleset=HEX, size=5, base_seconds=5)
    for number in range(10):
        enrol(ladder, f"bot {number}", NOW, owner=f"owner {number}")
    return ladder.pk


@pytest.fixture
def ladder(enrolled, db):
    return Ladder.objects.get(pk=enrolled)


@pytest.fixture
def crowd(ladder):
    return list(ladder.entries.select_related("bot__owner", "version__bot").order_by("pk"))


def enrol(ladder, name, now, owner="mia"):
    version = make_version(name, owner=owner)
    return join(actor=version.bot.owner, ladder=ladder, version=version, now=now)


def enrol_elsewhere(crowd, now, ruleset=HEX, size=6):
    """Let these bots also play on another ladder."""
    other = create_ladder(ruleset=ruleset, size=size, base_seconds=5)
    for entry in crowd:
        join(actor=entry.bot.owner, ladder=other, version=entry.version, now=now)
    return other


def table_of(ladder, versions, now):
    """An official table with these versions, in this order."""
    facts = dict.fromkeys(("advantage", "advantage_low", "advantage_high", "draw_parameter", "draw_parameter_low",
                           "draw_parameter_high", "draws", "pairs", "seconds", "eta", "nu", "period", "games"), 0)
    table = OfficialTable.objects.create(ladder=ladder, revision=1, model="davidson/2", input="x", computed_at=now,
                                         exact=True, components=[len(versions)], **facts)
    for place, version in enumerate(versions):
        OfficialLine.objects.create(
            table=table, version_id=version, rank=place + 1, rank_low=1, rank_high=9, rating=1500, low=1400, high=1600,
            error=50.0, games=0, wins=0, draws=0, losses=0, games_for_25=0, component=0, theta=0.0,
            covariances=[7.0, 8.0][:len(versions) - 1 - place])


def worker(now, *, rulesets=(HEX,), concurrency=3, tier="standard"):
    return Worker.objects.create(name=f"w{Worker.objects.count()}", host="h", tier=tier, cores=8, software="1",
                                 rulesets=list(rulesets), concurrency=concurrency, started_at=now, seen_at=now)


def open_matches():
    return Match.objects.filter(kind="ladder", status__in=["queued", "running"])


def paired():
    """Return how often each bot is in an open match."""
    return Counter(bot for pair in open_matches().values_list("first__bot", "second__bot") for bot in pair)


class TestPairLadders:
    def test_makes_rated_matches_with_different_openings_drawn_from_its_seed(self, ladder, crowd, now):
        assert pair_ladders(now, random.Random(5)) == 8
        for match in open_matches():
            assert (match.kind, match.rated) == ("ladder", True)
            assert (match.event, match.round, match.number) == (None, None, None)
            assert (match.ladder, match.ruleset, match.created_at) == (ladder, ladder.ruleset, now)
            assert match.opening
        drawn = list(open_matches().order_by("pk").values_list("seed", "first", "second", "opening"))
        assert len({seed for seed, *_ in drawn}) == 8
        open_matches().delete()
        LadderEntry.objects.update(matches=0, firsts=0, recent=[])
        pair_ladders(now, random.Random(5))
        assert list(open_matches().order_by("pk").values_list("seed", "first", "second", "opening")) == drawn

    def test_queues_twice_as_many_matches_as_the_workers_play(self, crowd, now, settings):
        worker(now)
        assert pair_ladders(now) == settings.LADDER_DEPTH * 3
        assert pair_ladders(now) == 0
        worker(now, concurrency=1)
        assert pair_ladders(now) == settings.LADDER_DEPTH
        play_match(open_matches().order_by("pk")[0], now=now, most_plies=2)
        assert pair_ladders(now) == 1
        Ladder.objects.update(is_open=False)
        open_matches().update(status="cancelled", ended_at=now)
        assert pair_ladders(now) == 0

    def test_gives_no_bot_more_than_two_matches_on_all_ladders_together(self, ladder, crowd, now, settings):
        other = enrol_elsewhere(crowd, now)
        worker(now, concurrency=50)
        pair_ladders(now)
        assert set(open_matches().values_list("ladder", flat=True)) == {ladder.pk, other.pk}
        assert max(paired().values()) <= settings.LADDER_MATCHES_OF_A_BOT

    @pytest.mark.database
    def test_alternates_between_ladders(self, ladder, crowd, now):
        other = enrol_elsewhere(crowd, now)
        worker(now, rulesets=["squ"])
        for second in range(6):
            pair_ladders(now + timedelta(seconds=second))
            open_matches().update(status="cancelled", ended_at=now)
        # Two matches that no worker serves, six times.
        assert LEAST_DEPTH == 2
        assert Counter(Match.objects.values_list("ladder", flat=True)) == {ladder.pk: 6, other.pk: 6}

    def test_shares_the_matches_of_few_bots_among_the_rulesets(self, ladder, crowd, now):
        Ladder.objects.filter(pk=ladder.pk).update(is_open=False)
        for ruleset in ("ooscg-w", HEX, "squ"):
            enrol_elsewhere(crowd[:3], now, ruleset, size=4)
        for second in range(7):
            pair_ladders(now + timedelta(seconds=second))
            open_matches().filter(pk=open_matches().earliest("pk").pk).update(status="cancelled", ended_at=now)
        made = Counter(Match.objects.values_list("ruleset", flat=True))
        assert min(made[ruleset] for ruleset in ("ooscg-w", HEX, "squ")) >= 2, made

    def test_gives_unused_places_to_the_next_ladder(self, crowd, now):
        enrol_elsewhere(crowd[:1], now)
        worker(now, concurrency=2)
        assert pair_ladders(now) == 4

    def test_records_the_match_of_both_bots(self, crowd, now):
        other = enrol_elsewhere(crowd[:2], now)
        Ladder.objects.exclude(pk=other.pk).update(is_open=False)
        pair_ladders(now + timedelta(minutes=3))
        ants, bees = entries = list(other.entries.order_by("pk"))
        for entry, opponent in (entries, entries[::-1]):
            assert (entry.matches, entry.waiting_since, entry.recent) == (
                2, now + timedelta(minutes=3), [opponent.bot_id])
        assert ants.firsts == bees.firsts == 1

    def test_pairs_by_rating(self, ladder, crowd, now):
        for place, entry in enumerate(crowd):
            make_rating(ladder, entry.version, 1000 + 200 * (place // 2), rank=place + 1)
        LadderEntry.objects.update(matches=NEW_MATCHES)
        worker(now, concurrency=2)
        pair_ladders(now)
        places = {entry.bot_id: place // 2 for place, entry in enumerate(crowd)}
        assert all(places[first] == places[second]
                   for first, second in open_matches().values_list("first__bot", "second__bot"))

    def test_uses_the_rating_of_the_playing_version(self, ladder, crowd, now, monkeypatch):
        table_of(ladder, [entry.version_id for entry in crowd[:3]], now)
        newer = make_version(crowd[2].bot.name, owner=crowd[2].bot.owner.username)
        join(actor=newer.bot.owner, ladder=ladder, version=newer, now=now)
        seen = {}
        monkeypatch.setattr(matchmaking, "make_pairs",
                            lambda candidates, limit: seen.update({one.id: one for one in candidates}) or [])
        pair_ladders(now)
        found = [(seen[entry.bot_id].variance, seen[entry.bot_id].rank, list(seen[entry.bot_id].covariances))
                 for entry in crowd[:4]]
        assert found == [(2500.0, 1, [7.0, 8.0]), (2500.0, 2, [7.0]), (None, 0, []), (None, 0, [])]

    def test_pairs_no_bot_that_may_not_play(self, crowd, now):
        left, late, rested, withdrawn, banned, of_banned, used_up = crowd[:7]
        LadderEntry.objects.filter(pk=left.pk).update(active=False)
        LadderEntry.objects.filter(pk=late.pk).update(probe_at=now + timedelta(seconds=1))
        Version.objects.filter(pk=rested.version_id).update(status="rested")
        Version.objects.filter(pk=withdrawn.version_id).update(status="withdrawn")
        for facts in ({"bot": banned.bot}, {"user": of_banned.bot.owner}):
            Ban.objects.create(reason="x", created_by=left.bot.owner, created_at=now, **facts)
        Profile.objects.update_or_create(user=used_up.bot.owner, defaults={"games_per_day": 1})
        worker(now, concurrency=50)
        pair_ladders(now)
        assert paired().keys() == {entry.bot_id for entry in crowd[7:]}

    def test_stops_at_the_owners_quota_within_one_step(self, crowd, now):
        mia = make_user("mia")
        type(crowd[0].bot).objects.update(owner=mia)
        Profile.objects.update_or_create(user=mia, defaults={"games_per_day": 5})
        pair_ladders(now)
        assert open_matches().count() == 2
        assert pair_ladders(now) == 0
        assert pair_ladders(now + timedelta(hours=25)) == 2

    def test_pairs_only_bots_that_some_worker_plays_for_the_slots_that_may_play_them(self, crowd, now, settings):
        Version.objects.exclude(pk__in=[entry.version_id for entry in crowd[:2]]).update(trusted=False)
        worker(now, tier="reduced", concurrency=8)
        assert pair_ladders(now)
        assert paired().keys() == {entry.bot_id for entry in crowd[:2]}
        open_matches().update(status="cancelled", ended_at=now)
        settings.LADDER_DEPTH, settings.LADDER_MATCHES_OF_A_BOT = 3, 99
        worker(now, concurrency=1)
        assert pair_ladders(now) == 3

    def test_gives_a_suspended_bot_one_match_when_due(self, crowd, now):
        worker(now, concurrency=50)
        LadderEntry.objects.filter(pk=crowd[0].pk).update(probe_at=now)
        pair_ladders(now)
        assert paired()[crowd[0].bot_id] == 1

    @pytest.mark.database
    def test_takes_as_many_queries_for_many_bots_as_for_few(self, ladder, crowd, now, django_assert_num_queries):
        # On PostgreSQL the advisory lock is an additional query.
        queries = 25 if connection.vendor == "postgresql" else 24
        LadderEntry.objects.filter(pk__in=[entry.pk for entry in crowd[4:]]).update(active=False)
        with django_assert_num_queries(queries):
            pair_ladders(now)
        open_matches().update(status=MatchStatus.CANCELLED, ended_at=now)
        LadderEntry.objects.update(active=True)
        with django_assert_num_queries(queries):
            pair_ladders(now + timedelta(minutes=1))
