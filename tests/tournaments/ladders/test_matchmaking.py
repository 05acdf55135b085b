"""Pairings on ladders, and the number of matches."""

import random
from collections import Counter, defaultdict
from datetime import timedelta
from itertools import pairwise

import pytest
from django.conf import settings
from django.db import connection
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from ratings.elo import game_information
from ratings.models import OfficialLine, OfficialTable, Rating
from tests.effort import examples
from tests.factories import make_user, make_version, play_match
from tournaments.models import Ban, LadderEntry, Match, Profile, Worker
from tournaments.models.lifecycle import MatchStatus, VersionStatus
from tournaments.pairing import matchmaking as matchmaker
from tournaments.pairing.matchmaking import NEW_MATCHES, REMEMBERED, SLOW_SECONDS, Candidate, make_pairs, remember
from tournaments.services.ladders import matchmaking
from tournaments.services.ladders.ladder_play import join, leave
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import LEAST_DEPTH, pair_ladders

# Information about a rating that is large enough for all games to be equally useful.
KNOWN = 1e-3


def known(bot, rating, **facts):
    return Candidate(id=bot, rating=rating, information=KNOWN, matches=NEW_MATCHES, **facts)


candidates = st.lists(
    st.builds(Candidate, id=st.just(0), rating=st.floats(0, 3000), information=st.floats(0, 0.1),
              matches=st.integers(0, 50), waiting=st.floats(0, 1e6), room=st.integers(0, 3), open=st.integers(0, 2),
              recent=st.lists(st.integers(0, 30), max_size=REMEMBERED, unique=True).map(tuple)),
    max_size=30,
).map(lambda made: [Candidate(bot, *[getattr(one, name) for name in Candidate.__slots__[1:]])
                    for bot, one in enumerate(made)])


class TestMakePairs:
    def test_pairs_bots_with_similar_ratings(self):
        field = [known(bot, rating) for bot, rating in enumerate([1000, 2000, 1020, 1980, 1500, 1510])]
        assert {frozenset(pair) for pair in make_pairs(field, 3)} == {
            frozenset((0, 2)), frozenset((1, 3)), frozenset((4, 5))}

    def test_prefers_the_opponent_with_the_less_certain_rating(self):
        seeker = known(1, 1500, waiting=100)
        field = [seeker, known(2, 1500), Candidate(id=3, rating=1550, information=KNOWN / 50, matches=NEW_MATCHES)]
        assert make_pairs(field, 1)[0] in {(1, 3), (3, 1)}

    def test_gives_new_versions_their_games_first(self):
        old = [known(bot, 1500, waiting=120) for bot in range(6)]
        new = [Candidate(id=bot, rating=1500, information=KNOWN, waiting=0) for bot in (6, 7)]
        assert set(make_pairs([*old, *new], 1)[0]) == {6, 7}

    def test_pairs_bots_that_waited_longest_first(self):
        field = [known(bot, 1500, waiting=bot * 60) for bot in range(8)]
        assert {frozenset(pair) for pair in make_pairs(field, 2)} == {frozenset((7, 6)), frozenset((5, 4))}

    def test_gives_the_first_move_to_the_bot_that_had_it_less_often(self):
        field = [known(1, 1500, firsts=6), known(2, 1500, firsts=4)]
        assert make_pairs(field, 1) == [(2, 1)]

    def test_gives_no_bot_more_matches_than_it_has_room_for(self):
        field = [known(1, 1500, room=2), known(2, 1500, room=0), known(3, 1500, room=1), known(4, 1500, room=1)]
        met = Counter(bot for pair in make_pairs(field, 10) for bot in pair)
        assert met == {1: 2, 3: 1, 4: 1}

    def test_does_not_repeat_an_opponent_while_others_are_free(self):
        field = [known(1, 1500, recent=(2, 3), waiting=900), known(2, 1500), known(3, 1501), known(4, 2400)]
        assert make_pairs(field, 1)[0] in {(1, 4), (4, 1)}

    def test_repeats_an_opponent_when_there_is_no_other(self):
        field = [known(1, 1500, recent=(2, 3)), known(2, 1500), known(3, 1600), known(4, 1500, room=0)]
        assert frozenset(make_pairs(field[:1] + field[1:], 1)[0]) in {frozenset((1, 3)), frozenset((2, 3))}
        assert make_pairs([known(1, 1500, recent=(2,)), known(2, 1500, recent=(1,))], 1)

    def test_does_not_repeat_an_opponent_for_a_bot_with_an_open_match(self):
        field = [known(1, 1500, recent=(2,), open=1), known(2, 1500, recent=(1,), open=1),
                 known(3, 1500, room=0), known(4, 1500, room=0)]
        assert make_pairs(field, 1) == []

    def test_uses_the_official_variance_if_available(self):
        field = [known(1, 1500, waiting=900), known(2, 1500, variance=40.0 ** 2), known(3, 1500, variance=90.0 ** 2)]
        assert set(make_pairs(field, 1)[0]) == {1, 3}

    def test_avoids_opponents_with_strongly_correlated_ratings(self):
        field = [known(1, 1500, variance=90.0 ** 2, rank=4, covariances=(8000.0, 0.0), waiting=900),
                 known(2, 1500, variance=90.0 ** 2, rank=5), known(3, 1500, variance=90.0 ** 2, rank=6)]
        assert set(make_pairs(field, 1)[0]) == {1, 3}
        # The same from the other side, and only where the table has covariances.
        upside_down = [known(1, 1500, variance=90.0 ** 2, rank=6, waiting=900),
                       known(2, 1500, variance=90.0 ** 2, rank=5, covariances=(8000.0,)),
                       known(3, 1500, variance=90.0 ** 2, rank=4, covariances=(7000.0,))]
        assert set(make_pairs(upside_down, 1)[0]) == {1, 3}

    @pytest.mark.parametrize("variance", [0.0, 1e12])
    def test_copes_with_extreme_variances(self, variance):
        field = [known(bot, 1500, variance=variance, rank=bot, covariances=(variance,), waiting=900)
                 for bot in (1, 2, 3)]
        assert len(make_pairs(field, 1)) == 1

    def test_slows_down_two_bots_when_games_tell_next_to_nothing(self):
        """Two bots are alone on a ladder, and each match is over within a second."""
        made, waiting, games, firsts = [], 0.0, 0, [0, 0]
        for second in range(1800):
            # As in the official table: both share the error of their difference.
            variance = 1 / (games * game_information(0.0) + 1e-6)
            field = [Candidate(id=bot, rating=1500, matches=len(made), firsts=firsts[bot], waiting=waiting,
                               recent=(1 - bot,) if made else (), variance=variance / 4, rank=1 + bot,
                               covariances=(-variance / 4,)) for bot in (0, 1)]
            waiting += 1
            for first, _ in make_pairs(field, 1):
                made.append(second)
                waiting, games, firsts[first] = 0.0, games + 2, firsts[first] + 1
        # 68 matches suffice; after that there is one match every five minutes.
        assert made[:68] == list(range(68))
        assert {later - before for before, later in pairwise(made[67:])} == {301}

    def test_does_not_make_a_new_version_wait(self):
        settled = Candidate(id=0, rating=1500, information=1.0, matches=500, recent=(1,))
        for matches, met in ((NEW_MATCHES - 1, 1), (NEW_MATCHES, 0)):
            other = Candidate(id=1, rating=1500, information=1.0, matches=matches, recent=(0,))
            assert len(make_pairs([settled, other], 1)) == met

    def test_searches_for_few_bots_when_there_is_nothing_to_learn(self, monkeypatch):
        asked = []
        best = matchmaker._Field.best_opponent
        monkeypatch.setattr(matchmaker._Field, "best_opponent",
                            lambda self, seeker, near: asked.append(seeker.id) or best(self, seeker, near))
        field = [Candidate(id=bot, rating=1500, information=1.0, matches=50) for bot in range(2000)]
        assert make_pairs(field, 10) == []
        assert len(asked) <= 300

    @pytest.mark.parametrize("field", [[], [known(1, 1500)]])
    def test_makes_none_with_fewer_than_two_bots(self, field):
        assert make_pairs(field, 5) == []

    @given(candidates, st.integers(0, 40))
    @effort(max_examples=examples(150), deadline=None)
    def test_keeps_to_its_limits(self, field, limit):
        by_id = {one.id: one for one in field}
        pairs = make_pairs(field, limit)
        assert pairs == make_pairs(field, limit)
        assert len(pairs) <= limit
        assert all(first != second for first, second in pairs)
        given_ = Counter(bot for pair in pairs for bot in pair)
        assert all(count <= by_id[bot].room for bot, count in given_.items())
        idle = [one for one in field if one.room and not one.open and not given_[one.id]]
        # While a match is left, at most one bot goes without, because it has met all others in this call. Otherwise
        # all of them can wait for a more informative game.
        patient = [one for one in idle if one.waiting < SLOW_SECONDS and one.matches >= NEW_MATCHES]
        assert len(pairs) == limit or len(idle) <= 1 or patient == idle


class TestALadderOverTime:
    """Simulated matches, with some pairs per round, all finished before the next round."""

    @pytest.mark.parametrize("pairs_a_round", [1, 4, 20])
    @pytest.mark.parametrize("newcomers", [False, True])
    def test_starves_no_bot(self, pairs_a_round, newcomers):
        field, longest = play(rounds=600 // pairs_a_round, pairs_a_round=pairs_a_round, newcomers=newcomers)
        turns = 40 / (2 * pairs_a_round)
        assert max(longest.values()) <= 25 * max(1, turns)
        assert min(field.matches.values()) >= 1

    def test_does_not_repeat_recent_opponents(self):
        _, _, met = play(rounds=300, pairs_a_round=4, newcomers=False, remember_all=True)
        for opponents in met.values():
            for place in range(REMEMBERED, len(opponents)):
                assert opponents[place] not in opponents[place - REMEMBERED:place]

    def test_pairs_the_bots_of_a_small_ladder_in_turn(self):
        _, _, met = play(rounds=60, pairs_a_round=1, newcomers=False, remember_all=True, bots=4)
        for opponents in met.values():
            assert max(Counter(opponents).values()) - min(Counter(opponents).values()) <= len(opponents) * 0.25
            repeats = sum(a == b for a, b in pairwise(opponents))
            assert repeats <= 1


class Field:
    def __init__(self, bots):
        dice = random.Random(bots)
        self.rating = {bot: dice.gauss(1500, 300) for bot in range(bots)}
        self.information = dict.fromkeys(range(bots), 0.0)
        self.matches = dict.fromkeys(range(bots), 0)
        self.firsts = dict.fromkeys(range(bots), 0)
        self.since = dict.fromkeys(range(bots), 0)
        self.recent = dict.fromkeys(range(bots), ())

    def candidates(self, time):
        return [Candidate(id=bot, rating=self.rating[bot], information=self.information[bot],
                          matches=self.matches[bot], firsts=self.firsts[bot], recent=self.recent[bot],
                          waiting=(time - self.since[bot]) * 30.0) for bot in self.rating]


def play(*, rounds, pairs_a_round, newcomers, bots=40, remember_all=False):
    """Return the field after these rounds, the longest wait of each bot and, if wanted, its opponents in order."""
    field, longest, met = Field(bots), Counter(), defaultdict(list)
    for time in range(1, rounds + 1):
        for pair in make_pairs(field.candidates(time), pairs_a_round):
            field.firsts[pair[0]] += 1
            for bot, other in (pair, pair[::-1]):
                longest[bot] = max(longest[bot], time - field.since[bot])
                field.since[bot] = time
                field.matches[bot] += 1
                field.information[bot] += 1.6e-5
                field.recent[bot] = remember(field.recent[bot], other)
                met[bot].append(other)
        if newcomers and time % 3 == 0:
            # An author keeps uploading new versions.
            field.matches[time % 5] = 0
            field.information[time % 5] = 0.0
    for bot in field.since:
        longest[bot] = max(longest[bot], rounds - field.since[bot])
        field.matches[bot] += newcomers and bot < 5
    return (field, longest, met) if remember_all else (field, longest)


@pytest.fixture
def ladder(db):
    return create_ladder(ruleset="square-grid-hex", size=5, base_seconds=5)


@pytest.fixture
def crowd(ladder, now):
    """Ten bots on the ladder, each with a different owner."""
    return [enrol(ladder, f"bot {number}", now, owner=f"owner {number}") for number in range(10)]


def enrol(ladder, name, now, owner="mia"):
    version = make_version(name, owner=owner)
    return join(actor=version.bot.owner, ladder=ladder, version=version, now=now)


def table_of(ladder, versions, now):
    """An official table with these versions, in this order."""
    facts = dict.fromkeys(("advantage", "advantage_low", "advantage_high", "draw_parameter", "draw_parameter_low",
                           "draw_parameter_high", "draws", "pairs", "seconds", "eta", "nu", "period", "games"), 0)
    table = OfficialTable.objects.create(ladder=ladder, revision=1, model="davidson/1", input="x", computed_at=now,
                                         exact=True, components=[len(versions)], **facts)
    for place, version in enumerate(versions):
        OfficialLine.objects.create(
            table=table, version_id=version, rank=place + 1, rank_low=1, rank_high=9, rating=1500, low=1400, high=1600,
            error=50.0, games=0, wins=0, draws=0, losses=0, games_for_25=0, component=0, theta=0.0,
            covariances=[7.0, 8.0][:len(versions) - 1 - place])


def worker(now, *, rulesets=("square-grid-hex",), concurrency=3, **facts):
    return Worker.objects.create(name=f"w{Worker.objects.count()}", host="h", tier="standard", cores=8, software="1",
                                 rulesets=list(rulesets), concurrency=concurrency, started_at=now, seen_at=now, **facts)


def open_matches():
    return Match.objects.filter(kind="ladder", status__in=["queued", "running"])


@pytest.mark.django_db
class TestPairLadders:
    def test_makes_rated_matches_with_different_openings(self, ladder, crowd, now):
        assert pair_ladders(now) == 8
        for match in open_matches():
            assert (match.kind, match.rated) == ("ladder", True)
            assert (match.event, match.round, match.number) == (None, None, None)
            assert (match.ladder, match.ruleset, match.created_at) == (ladder, ladder.ruleset, now)
            assert match.opening
        assert len(set(open_matches().values_list("seed", flat=True))) == 8

    def test_is_reproducible_from_its_seed(self, ladder, crowd, now):
        pair_ladders(now, random.Random(5))
        drawn = list(open_matches().order_by("pk").values_list("first", "second", "seed", "opening"))
        open_matches().delete()
        LadderEntry.objects.update(matches=0, firsts=0, recent=[])
        pair_ladders(now, random.Random(5))
        assert list(open_matches().order_by("pk").values_list("first", "second", "seed", "opening")) == drawn

    def test_queues_twice_as_many_matches_as_the_workers_play(self, crowd, now):
        worker(now)
        assert pair_ladders(now) == settings.LADDER_DEPTH * 3
        assert pair_ladders(now) == 0
        worker(now, concurrency=1)
        assert pair_ladders(now) == settings.LADDER_DEPTH

    def test_queues_two_matches_that_no_worker_serves(self, crowd, now):
        worker(now, rulesets=["squ"])
        assert pair_ladders(now) == LEAST_DEPTH

    def test_makes_a_match_when_one_is_over(self, crowd, now):
        worker(now, concurrency=1)
        pair_ladders(now)
        play_match(open_matches().first(), now=now)
        assert pair_ladders(now) == 1

    def test_gives_no_bot_more_than_two_matches_on_all_ladders_together(self, ladder, crowd, now):
        other = create_ladder(ruleset="square-grid-hex", size=6, base_seconds=5)
        for entry in crowd:
            join(actor=entry.bot.owner, ladder=other, version=entry.version, now=now)
        worker(now, concurrency=50)
        pair_ladders(now)
        assert set(open_matches().values_list("ladder", flat=True)) == {ladder.pk, other.pk}
        given_ = Counter(bot for pair in open_matches().values_list("first__bot", "second__bot") for bot in pair)
        assert max(given_.values()) <= settings.LADDER_MATCHES_OF_A_BOT

    def test_alternates_between_ladders(self, ladder, crowd, now):
        other = create_ladder(ruleset="square-grid-hex", size=6, base_seconds=5)
        for entry in crowd:
            join(actor=entry.bot.owner, ladder=other, version=entry.version, now=now)
        worker(now, rulesets=["squ"])
        for second in range(6):
            pair_ladders(now + timedelta(seconds=second))
            open_matches().update(status="cancelled", ended_at=now)
        assert Counter(Match.objects.values_list("ladder", flat=True)) == {ladder.pk: 6, other.pk: 6}

    def test_gives_unused_places_to_the_next_ladder(self, ladder, crowd, now):
        lonely = create_ladder(ruleset="square-grid-hex", size=6, base_seconds=5)
        join(actor=crowd[0].bot.owner, ladder=lonely, version=crowd[0].version, now=now)
        worker(now, concurrency=2)
        assert pair_ladders(now) == 4

    def test_records_the_match_of_both_bots(self, ladder, now):
        ants, bees = enrol(ladder, "ants", now), enrol(ladder, "bees", now)
        later = now + timedelta(minutes=3)
        pair_ladders(later)
        for entry, opponent in ((ants, bees), (bees, ants)):
            entry.refresh_from_db()
            assert (entry.matches, entry.waiting_since, entry.recent) == (2, later, [opponent.bot_id])
        assert ants.firsts == bees.firsts == 1

    def test_pairs_by_rating(self, ladder, crowd, now):
        for place, entry in enumerate(crowd):
            Rating.objects.create(ladder=ladder, bot=entry.bot, value=1000 + 200 * (place // 2), information=KNOWN,
                                  games=40, wins=20, draws=0, rank=1)
        LadderEntry.objects.update(matches=NEW_MATCHES)
        worker(now, concurrency=2)
        pair_ladders(now)
        places = {entry.bot_id: place // 2 for place, entry in enumerate(crowd)}
        assert all(places[first] == places[second]
                   for first, second in open_matches().values_list("first__bot", "second__bot"))

    def test_uses_the_official_line_of_the_playing_version(self, ladder, crowd, now, monkeypatch):
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

    @pytest.mark.parametrize("hinder", [
        lambda entry, now: LadderEntry.objects.filter(pk=entry.pk).update(active=False),
        lambda entry, now: LadderEntry.objects.filter(pk=entry.pk).update(probe_at=now + timedelta(seconds=1)),
        lambda entry, now: type(entry.version).objects.filter(pk=entry.version_id).update(status=VersionStatus.RESTED),
        lambda entry, now: type(entry.version).objects.filter(pk=entry.version_id).update(status="withdrawn"),
        lambda entry, now: Ban.objects.create(bot=entry.bot, reason="x", created_by=entry.bot.owner, created_at=now),
        lambda entry, now: Ban.objects.create(user=entry.bot.owner, reason="x", created_by=entry.bot.owner,
                                              created_at=now),
        lambda entry, now: Profile.objects.update_or_create(user=entry.bot.owner, defaults={"games_per_day": 1}),
    ])
    def test_pairs_no_bot_that_may_not_play(self, crowd, now, hinder):
        hinder(crowd[0], now)
        pair_ladders(now)
        assert open_matches().exists()
        assert crowd[0].bot_id not in {
            bot for pair in open_matches().values_list("first__bot", "second__bot") for bot in pair}

    def test_stops_at_the_owners_quota_within_one_step(self, ladder, now):
        for number in range(6):
            enrol(ladder, f"bot {number}", now)
        Profile.objects.update_or_create(user=make_user("mia"), defaults={"games_per_day": 5})
        pair_ladders(now)
        assert open_matches().count() == 2
        assert pair_ladders(now) == 0
        assert pair_ladders(now + timedelta(hours=25)) == 2

    def test_makes_no_pairs_on_a_closed_ladder(self, ladder, crowd, now):
        type(ladder).objects.update(is_open=False)
        assert pair_ladders(now) == 0

    def test_gives_a_suspended_bot_one_match_when_due(self, ladder, crowd, now):
        worker(now, concurrency=50)
        LadderEntry.objects.filter(pk=crowd[0].pk).update(probe_at=now)
        pair_ladders(now)
        mine = open_matches().filter(first__bot=crowd[0].bot_id) | open_matches().filter(second__bot=crowd[0].bot_id)
        assert mine.count() == 1

    def test_takes_as_many_queries_for_many_bots_as_for_few(self, ladder, crowd, now,
                                                                 django_assert_num_queries):
        # On PostgreSQL the advisory lock is an additional query.
        queries = 24 if connection.vendor == "postgresql" else 23
        with django_assert_num_queries(queries):
            pair_ladders(now)
        open_matches().update(status=MatchStatus.CANCELLED, ended_at=now)
        for number in range(20):
            enrol(ladder, f"more {number}", now, owner=f"other {number}")
        with django_assert_num_queries(queries):
            pair_ladders(now + timedelta(minutes=1))

    def test_cancels_queued_matches_when_a_bot_leaves(self, ladder, crowd, now):
        pair_ladders(now)
        leave(actor=crowd[0].bot.owner, ladder=ladder, bot=crowd[0].bot, now=now)
        assert not (open_matches().filter(first__bot=crowd[0].bot_id)
                    | open_matches().filter(second__bot=crowd[0].bot_id)).exists()
