"""Properties of Swiss rounds."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import ALL
from tests.tournaments.pairing import play
from tournaments.pairing.swiss import (
    NoPairing,
    SwissMatch,
    SwissPairings,
    SwissRound,
    default_rounds,
    most_rounds,
    next_round,
)

DICE = st.integers(0, 2**32).map(random.Random)
SLOW = settings(max_examples=40 if ALL else 8)
LEVEL = (0.5, 0.5)


class TestNextRound:
    @SLOW
    @given(st.integers(2, 17 if ALL else 12), DICE)
    def test_pairs_everyone_once_and_repeats_no_pairing_or_bye_up_to_most_rounds(self, entrants, dice):
        played = play.swiss(entrants, most_rounds(entrants), dice)
        met = [frozenset((match.first, match.second)) for round_ in played for match in round_.matches]
        byes = [round_.bye for round_ in played if round_.bye is not None]
        assert len(set(met)) == len(met)
        assert len(set(byes)) == len(byes) == (len(played) if entrants % 2 else 0)
        for round_ in played:
            sides = [side for match in round_.matches for side in (match.first, match.second)]
            assert sorted(sides + ([] if round_.bye is None else [round_.bye])) == list(range(entrants))

    @SLOW
    @given(st.integers(12, 30 if ALL else 15), DICE)
    def test_balances_first_moves(self, entrants, dice):
        # In the last round, the leaders may have a colour once too often (C.04.3, C.3).
        played = play.swiss(entrants, default_rounds(entrants), dice)[:-1]
        for entrant in range(entrants):
            had = [1 if match.first == entrant else -1 for round_ in played for match in round_.matches
                   if entrant in (match.first, match.second)]
            assert abs(sum(had)) <= 2
            assert not any(one == two == three for (one, two), (_, three) in pairwise(pairwise(had)))

    def test_depends_only_on_its_arguments(self):
        first, again = (play.swiss(9, default_rounds(9), random.Random(5)) for _ in range(2))
        assert first == again

    def test_first_pairs_the_upper_half_against_the_lower(self):
        assert next_round(5, 3, []) == SwissPairings([(0, 2), (3, 1)], 4)

    def test_pairs_entrants_with_equal_scores(self):
        played = [SwissRound((SwissMatch(0, 2, (1, 0)), SwissMatch(3, 1, (0, 1))))]
        assert {frozenset(pair) for pair in next_round(4, 3, played).pairs} == {frozenset((0, 1)), frozenset((2, 3))}

    def test_leaves_out_absent_entrants_and_gives_the_bye_to_a_lone_one(self):
        assert next_round(6, 3, [], {1, 4}).pairs == [(0, 3), (2, 5)]
        assert next_round(3, 3, [], {0, 2}) == SwissPairings([], 1)

    def test_gives_no_bye_after_a_walkover(self):
        played = [SwissRound((SwissMatch(0, 2, (1, 0)), SwissMatch(3, 1, (0, 1), played=False)))]
        assert next_round(4, 3, played, {3}).bye == 2
        lost = [SwissRound((SwissMatch(0, 2, (1, 0)), SwissMatch(3, 1, (1, 0), played=False)))]
        assert next_round(4, 3, lost, {2}).bye == 1

    def test_may_repeat_a_pairing_that_was_not_played(self):
        played = [SwissRound((SwissMatch(0, 1, LEVEL, played=False),))]
        assert next_round(2, 2, played).pairs == [(0, 1)]

    def test_ignores_colours_if_they_leave_no_pairing(self):
        # 0 and 1 have moved first twice in a row, 2 and 3 second; the remaining pairs are due the same colour.
        played = [SwissRound(tuple(SwissMatch(x, 2 + (x + shift) % 2, LEVEL) for x in (0, 1))) for shift in (0, 1)]
        assert {frozenset(pair) for pair in next_round(4, 5, played).pairs} == {frozenset((0, 1)), frozenset((2, 3))}

    def test_says_when_no_pairing_is_left(self):
        met = [SwissRound((SwissMatch(0, 1, (1, 0)),))]
        with pytest.raises(NoPairing, match="no pairing of 2 entrants is left"):
            next_round(2, 2, met)
        with pytest.raises(NoPairing, match="has already had its bye"):
            next_round(3, 3, [SwissRound((SwissMatch(0, 1, (1, 0)),), 2)], {0, 1})

    def test_refuses_invalid_entrants(self):
        for entrants, absent in ((2, {2}), (2, {0, 1}), (0, set())):
            with pytest.raises(ValueError, match=r"entrants are numbered|at least one entrant"):
                next_round(entrants, 3, [], absent)


class TestMostRounds:
    def test_always_leave_a_pairing(self):
        most = {2: 1, 3: 3, 4: 3, 5: 3, 6: 3, 8: 4, 33: 17}
        assert {entrants: most_rounds(entrants) for entrants in most} == most
        with pytest.raises(ValueError, match="at least 2 entrants"):
            most_rounds(1)

    def test_are_the_maximum_for_six(self):
        # Two groups of three have met each other completely; within a group only one pair is possible.
        camps = [SwissRound(tuple(SwissMatch(x, 3 + (x + shift) % 3, LEVEL) for x in range(3))) for shift in range(3)]
        with pytest.raises(NoPairing):
            next_round(6, 4, camps)


class TestDefaultRounds:
    def test_are_one_more_than_needed_to_find_a_winner_and_safe(self):
        rounds = {2: 1, 4: 3, 6: 3, 8: 4, 16: 5, 17: 6, 33: 7}
        assert {entrants: default_rounds(entrants) for entrants in rounds} == rounds
        assert all(1 <= default_rounds(entrants) <= most_rounds(entrants) for entrants in range(2, 500))
