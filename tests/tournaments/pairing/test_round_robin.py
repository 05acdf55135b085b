"""Properties of the circle method, for any number of entrants."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.pairing.play import balances
from tournaments.pairing.round_robin import round_robin

ENTRANTS = st.integers(2, 24)


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
