"""Properties of the circle method, for any number of entrants."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.pairing.round_robin import round_robin

ENTRANTS = st.integers(2, 24)
CYCLES = st.integers(1, 4)


class TestRoundRobin:
    @given(ENTRANTS, CYCLES)
    def test_pairs_every_two_entrants_once_per_cycle(self, entrants, cycles):
        rounds = round_robin(entrants, cycles)
        length = len(rounds) // cycles
        for cycle in range(cycles):
            met = Counter(frozenset(pair) for pairs in rounds[cycle * length:(cycle + 1) * length] for pair in pairs)
            assert met == Counter(frozenset(pair) for pair in combinations(range(entrants), 2))

    @given(ENTRANTS, CYCLES)
    def test_lets_no_entrant_play_twice_in_a_round(self, entrants, cycles):
        for pairs in round_robin(entrants, cycles):
            playing = [entrant for pair in pairs for entrant in pair]
            assert len(playing) == len(set(playing))

    @given(ENTRANTS)
    def test_needs_the_fewest_rounds(self, entrants):
        assert len(round_robin(entrants)) == (entrants - 1 if entrants % 2 == 0 else entrants)

    @given(ENTRANTS)
    def test_gives_each_entrant_a_bye_in_turn_if_the_number_is_odd(self, entrants):
        byes = Counter(entrant for pairs in round_robin(entrants)
                       for entrant in set(range(entrants)) - {x for pair in pairs for x in pair})
        assert byes == (Counter(range(entrants)) if entrants % 2 else Counter())

    @given(ENTRANTS)
    def test_balances_first_moves_within_one_in_a_cycle(self, entrants):
        assert all(abs(balance) <= 1 for balance in balances(round_robin(entrants), entrants))

    @given(ENTRANTS)
    def test_balances_first_moves_exactly_in_two_cycles(self, entrants):
        assert set(balances(round_robin(entrants, 2), entrants)) == {0}

    @given(ENTRANTS, CYCLES)
    def test_balances_seats_exactly_if_a_match_rotates_them(self, entrants, cycles):
        seat0 = Counter(seat for pairs in round_robin(entrants, cycles) for pair in pairs for seat in pair)
        assert set(seat0.values()) == {cycles * (entrants - 1)}

    @pytest.mark.parametrize(("entrants", "cycles"), [(1, 1), (0, 1), (2, 0)])
    def test_refuses_an_empty_tournament(self, entrants, cycles):
        with pytest.raises(ValueError, match="at least 2 entrants and 1 cycle"):
            round_robin(entrants, cycles)


def balances(rounds, entrants):
    """Return, for each entrant, the number of times it moved first less the number of times it moved second."""
    count = Counter()
    for pairs in rounds:
        for first, second in pairs:
            count[first] += 1
            count[second] -= 1
    return [count[entrant] for entrant in range(entrants)]
