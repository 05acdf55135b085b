"""Pairings on ladders, and the number of matches."""

import random
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from ratings.elo import game_information
from tests.effort import examples
from tournaments.pairing.matchmaking import NEW_MATCHES, REMEMBERED, SLOW_SECONDS, Candidate, make_pairs, remember

# Variance of a rating that is so well known that all games are equally useful, in Elo².
KNOWN = 1e3


def known(bot, rating, **facts):
    return Candidate(id=bot, rating=rating, **{"variance": KNOWN, "matches": NEW_MATCHES} | facts)


candidates = st.lists(
    st.builds(Candidate, id=st.just(0), rating=st.floats(0, 3000), variance=st.none() | st.floats(1, 1e6),
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
        field = [seeker, known(2, 1500), Candidate(id=3, rating=1550, variance=KNOWN * 50, matches=NEW_MATCHES)]
        assert make_pairs(field, 1)[0] in {(1, 3), (3, 1)}

    def test_gives_new_versions_their_games_first(self):
        old = [known(bot, 1500, waiting=120) for bot in range(6)]
        new = [Candidate(id=bot, rating=1500, variance=KNOWN, waiting=0) for bot in (6, 7)]
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

    def test_copes_with_extreme_variances(self):
        for variance in (0.0, 1e12):
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
        settled = Candidate(id=0, rating=1500, variance=1.0, matches=500, recent=(1,))
        for matches, met in ((NEW_MATCHES - 1, 1), (NEW_MATCHES, 0)):
            other = Candidate(id=1, rating=1500, variance=1.0, matches=matches, recent=(0,))
            assert len(make_pairs([settled, other], 1)) == met

    def test_makes_none_with_fewer_than_two_bots(self):
        assert make_pairs([], 5) == make_pairs([known(1, 1500)], 5) == []

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
    def test_starves_no_bot_and_repeats_no_recent_opponent(self):
        for bots, pairs_a_round, rounds in ((40, 1, 300), (40, 4, 100), (40, 20, 15), (4, 1, 60)):
            met, longest = play(bots, pairs_a_round, rounds)
            assert min(len(opponents) for opponents in met.values()) >= 1
            assert max(longest.values()) <= 25 * max(1, bots / (2 * pairs_a_round))
            apart = REMEMBERED if bots > REMEMBERED + 1 else 1
            repeats = [sum(other in opponents[max(0, place - apart):place] for place, other in enumerate(opponents))
                       for opponents in met.values()]
            assert max(repeats) <= (bots == 4)
            if bots == 4:
                for opponents in met.values():
                    times = Counter(opponents).values()
                    assert max(times) - min(times) <= len(opponents) * 0.25


def play(bots, pairs_a_round, rounds):
    """Return each bot's opponents in order and its longest wait; all matches of a round end before the next round."""
    dice = random.Random(bots)
    field = {bot: {"id": bot, "rating": dice.gauss(1500, 300), "variance": 350.0 ** 2, "matches": 0, "firsts": 0,
                   "recent": ()} for bot in range(bots)}
    since, longest, met = dict.fromkeys(field, 0), Counter(), {bot: [] for bot in field}
    for time in range(1, rounds + 1):
        candidates = [Candidate(**facts, waiting=(time - since[bot]) * 30.0) for bot, facts in field.items()]
        for pair in make_pairs(candidates, pairs_a_round):
            field[pair[0]]["firsts"] += 1
            for bot, other in (pair, pair[::-1]):
                facts = field[bot]
                facts["matches"] += 1
                facts["variance"] = 1 / (1 / facts["variance"] + 1.6e-5)
                facts["recent"] = remember(facts["recent"], other)
                longest[bot] = max(longest[bot], time - since[bot])
                since[bot] = time
                met[bot].append(other)
    return met, {bot: max(longest[bot], rounds - since[bot]) for bot in field}
