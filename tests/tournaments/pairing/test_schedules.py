"""Properties of the formats that are paired as a whole: the gauntlet, and the round-robin by the circle method."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.pairing.play import balances
from tournaments.pairing.gauntlet import gauntlet
from tournaments.pairing.round_robin import round_robin

ENTRANTS = st.integers(2, 24)
SIDES = st.tuples(st.integers(1, 9), st.integers(1, 9)).map(
    lambda sizes: (list(range(sizes[0])), list(range(sizes[0], sum(sizes)))))


class TestRoundRobin:
    @given(ENTRANTS, st.integers(1, 4))
    def test_pairs_every_two_entrants_once_per_cycle_and_nobody_twice_in_a_round(self, entrants, cycles):
        rounds = round_robin(entrants, cycles)
        length = len(rounds) // cycles
        for cycle in range(cycles):
            met = Counter(frozenset(pair) for pairs in rounds[cycle * length:(cycle + 1) * length] for pair in pairs)
            assert met == Counter(frozenset(pair) for pair in combinations(range(entrants), 2))
        for pairs in rounds:
            playing = [entrant for pair in pairs for entrant in pair]
            assert len(playing) == len(set(playing))

    @given(ENTRANTS)
    def test_needs_the_fewest_rounds_with_a_bye_in_turn_if_the_number_is_odd(self, entrants):
        rounds = round_robin(entrants)
        assert len(rounds) == (entrants - 1 if entrants % 2 == 0 else entrants)
        byes = Counter(entrant for pairs in rounds
                       for entrant in set(range(entrants)) - {x for pair in pairs for x in pair})
        assert byes == (Counter(range(entrants)) if entrants % 2 else Counter())

    @given(ENTRANTS)
    def test_balances_first_moves_within_one_in_a_cycle_and_exactly_in_two(self, entrants):
        assert all(abs(balance) <= 1 for balance in balances(round_robin(entrants)).values())
        assert set(balances(round_robin(entrants, 2)).values()) == {0}

    def test_refuses_an_empty_tournament(self):
        for entrants, cycles in ((1, 1), (0, 1), (2, 0)):
            with pytest.raises(ValueError, match="at least 2 entrants and 1 cycle"):
                round_robin(entrants, cycles)


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
