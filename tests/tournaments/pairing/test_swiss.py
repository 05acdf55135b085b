"""Properties of Swiss rounds."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
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
ENTRANTS = st.integers(2, 17)
SLOW = settings(max_examples=examples(40), deadline=None)


def pairs_of(played):
    return [frozenset((match.first, match.second)) for round_ in played for match in round_.matches]


def colours(played, entrant):
    """An entrant's colours by round: 1 for first, -1 for second."""
    return [1 if match.first == entrant else -1 for round_ in played for match in round_.matches
            if entrant in (match.first, match.second)]


class TestNextRound:
    @SLOW
    @given(ENTRANTS, DICE)
    def test_avoids_repeated_pairings_and_byes_up_to_most_rounds(self, entrants, dice):
        played = play.swiss(entrants, most_rounds(entrants), dice)
        met = pairs_of(played)
        byes = [round_.bye for round_ in played if round_.bye is not None]
        assert len(set(met)) == len(met)
        assert len(set(byes)) == len(byes) == (len(played) if entrants % 2 else 0)

    @SLOW
    @given(ENTRANTS, DICE)
    def test_pairs_everyone_exactly_once(self, entrants, dice):
        for round_ in play.swiss(entrants, default_rounds(entrants), dice):
            sides = [side for match in round_.matches for side in (match.first, match.second)]
            assert sorted(sides + ([] if round_.bye is None else [round_.bye])) == list(range(entrants))

    @SLOW
    @given(st.integers(12, 30), DICE)
    def test_balances_first_moves(self, entrants, dice):
        # In the last round, the leaders may have a colour once too often (C.04.3, C.3).
        played = play.swiss(entrants, default_rounds(entrants), dice)[:-1]
        for entrant in range(entrants):
            had = colours(played, entrant)
            assert abs(sum(had)) <= 2
            assert not any(one == two == three for (one, two), (_, three) in pairwise(pairwise(had)))

    @SLOW
    @given(ENTRANTS, st.integers(0, 2**32))
    def test_depends_only_on_its_arguments(self, entrants, seed):
        first, again = (play.swiss(entrants, default_rounds(entrants), random.Random(seed)) for _ in range(2))
        assert first == again

    def test_first_pairs_the_upper_half_against_the_lower(self):
        assert next_round(5, 3, []) == SwissPairings([(0, 2), (3, 1)], 4)

    def test_pairs_entrants_with_equal_scores(self):
        played = [SwissRound((SwissMatch(0, 2, (1, 0)), SwissMatch(3, 1, (0, 1))))]
        assert {frozenset(pair) for pair in next_round(4, 3, played).pairs} == {frozenset((0, 1)), frozenset((2, 3))}

    def test_leaves_out_absent_entrants(self):
        assert next_round(6, 3, [], {1, 4}).pairs == [(0, 3), (2, 5)]

    def test_gives_the_bye_to_a_lone_entrant(self):
        assert next_round(3, 3, [], {0, 2}) == SwissPairings([], 1)

    def test_gives_no_bye_after_a_walkover(self):
        played = [SwissRound((SwissMatch(0, 2, (1, 0)), SwissMatch(3, 1, (0, 1), played=False)))]
        assert next_round(4, 3, played, {3}).bye == 2
        lost = [SwissRound((SwissMatch(0, 2, (1, 0)), SwissMatch(3, 1, (1, 0), played=False)))]
        assert next_round(4, 3, lost, {2}).bye == 1

    def test_may_repeat_a_pairing_that_was_not_played(self):
        played = [SwissRound((SwissMatch(0, 1, (0.5, 0.5), played=False),))]
        assert next_round(2, 2, played).pairs == [(0, 1)]

    def test_ignores_colours_if_they_leave_no_pairing(self):
        # 0 and 1 have moved first twice in a row, 2 and 3 second; the remaining pairs are due the same colour.
        played = [SwissRound(tuple(SwissMatch(x, 2 + (x + shift) % 2, (0.5, 0.5)) for x in (0, 1))) for shift in (0, 1)]
        assert {frozenset(pair) for pair in next_round(4, 5, played).pairs} == {frozenset((0, 1)), frozenset((2, 3))}

    def test_says_when_no_pairing_is_left(self):
        played = [SwissRound((SwissMatch(0, 1, (1, 0)),))]
        with pytest.raises(NoPairing, match="no pairing of 2 entrants is left"):
            next_round(2, 2, played)

    def test_says_when_the_last_entrant_has_had_its_bye(self):
        with pytest.raises(NoPairing, match="has already had its bye"):
            next_round(3, 3, [SwissRound((SwissMatch(0, 1, (1, 0)),), 2)], {0, 1})

    @pytest.mark.parametrize(("entrants", "absent"), [(2, {2}), (2, {0, 1}), (0, set())])
    def test_refuses_invalid_entrants(self, entrants, absent):
        with pytest.raises(ValueError, match=r"entrants are numbered|at least one entrant"):
            next_round(entrants, 3, [], absent)


class TestMostRounds:
    @pytest.mark.parametrize(("entrants", "rounds"), [(2, 1), (3, 3), (4, 3), (5, 3), (6, 3), (8, 4), (33, 17)])
    def test_always_leave_a_pairing(self, entrants, rounds):
        assert most_rounds(entrants) == rounds

    def test_need_two_entrants(self):
        with pytest.raises(ValueError, match="at least 2 entrants"):
            most_rounds(1)

    def test_are_the_maximum_for_six(self):
        # Two groups of three have met each other completely; within a group only one pair is possible.
        camps = [SwissRound(tuple(SwissMatch(x, 3 + (x + shift) % 3, (0.5, 0.5)) for x in range(3)))
                 for shift in range(3)]
        with pytest.raises(NoPairing):
            next_round(6, 4, camps)


class TestDefaultRounds:
    @pytest.mark.parametrize(("entrants", "rounds"), [(2, 1), (4, 3), (6, 3), (8, 4), (16, 5), (17, 6), (33, 7)])
    def test_are_one_more_than_needed_to_find_a_winner(self, entrants, rounds):
        assert default_rounds(entrants) == rounds

    @given(st.integers(2, 500))
    def test_are_always_safe(self, entrants):
        assert 1 <= default_rounds(entrants) <= most_rounds(entrants)
