"""Properties of a gauntlet."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.pairing.play import balances
from tournaments.pairing.gauntlet import gauntlet

SIDES = st.tuples(st.integers(1, 9), st.integers(1, 9)).map(
    lambda sizes: (list(range(sizes[0])), list(range(sizes[0], sum(sizes)))))


class TestGauntlet:
    @given(SIDES, st.integers(1, 4))
    def test_pairs_each_runner_with_each_other_once_per_cycle_in_the_fewest_rounds(self, sides, cycles):
        runners, others = sides
        rounds = gauntlet(runners, others, cycles)
        met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
        assert met == {frozenset((runner, other)): cycles for runner in runners for other in others}
        assert len(rounds) == cycles * max(map(len, sides))
        for pairs in rounds:
            playing = [side for pair in pairs for side in pair]
            assert len(playing) == len(set(playing))

    @given(SIDES)
    def test_balances_first_moves_within_one_and_exactly_in_two_cycles(self, sides):
        assert all(abs(balance) <= 1 for balance in balances(gauntlet(*sides, 1)).values())
        assert not any(balances(gauntlet(*sides, 2)).values())

    def test_alternates_the_first_move_of_a_runner(self):
        assert gauntlet([7], [1, 2, 3], 1) == [[(7, 1)], [(2, 7)], [(7, 3)]]

    def test_refuses_an_empty_tournament_and_an_entrant_on_both_sides(self):
        for sides_and_cycles in (([], [1], 1), ([1], [], 1), ([1], [2], 0)):
            with pytest.raises(ValueError, match="at least 1 runner, 1 other and 1 cycle"):
                gauntlet(*sides_and_cycles)
        with pytest.raises(ValueError, match="an entrant is listed twice"):
            gauntlet([1, 2], [2, 3], 1)
