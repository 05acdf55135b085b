"""Accelerated Swiss rounds, compared with FIDE's Handbook (C.04.5.1) and with another program."""

import random

from tests.effort import ALL
from tests.tournaments.pairing import trf
from tests.tournaments.pairing.play import RESULTS
from tournaments.pairing.baku import Baku
from tournaments.pairing.swiss import SwissMatch, SwissRound, most_rounds, next_round


class TestVirtualPoints:
    def test_are_for_the_first_half_rounded_up_to_an_even_number(self):
        """Rule 2; its note contains the example with 161 players."""
        upper = {161: 82, 160: 80, 10: 6, 9: 6, 8: 4, 5: 4, 4: 2, 3: 2, 2: 2}
        assert {entrants: Baku(entrants, 9).upper for entrants in upper} == upper
        baku = Baku(10, 9)
        assert [baku.points(1, entrant) for entrant in range(10)] == [1] * 6 + [0] * 4
        assert all(baku.points(number, 6) == 0 for number in range(1, 10))

    def test_are_first_one_then_a_half_then_zero(self):
        points = {
            9: [1, 1, 1, 0.5, 0.5, 0, 0, 0, 0],  # the example of Rule 4
            11: [1, 1, 1, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0],
            8: [1, 1, 0.5, 0.5, 0, 0, 0, 0],
            7: [1, 1, 0.5, 0.5, 0, 0, 0],
            2: [1, 0],
            1: [1],
        }
        assert {rounds: [Baku(20, rounds).points(number, 0) for number in range(1, rounds + 1)]
                for rounds in points} == points


class TestTheFirstRounds:
    def test_pair_each_group_by_halves_with_the_bye_for_the_last(self):
        assert next_round(8, 5, [], (), Baku(8, 5)).pairs == [(0, 2), (3, 1), (4, 6), (7, 5)]
        assert next_round(9, 5, [], (), Baku(9, 5)).bye == 8

    def test_pair_losers_of_the_upper_group_with_winners_of_the_lower(self):
        """In round 2. With one virtual point, losers in the upper group have as many points as winners in the lower."""
        first = SwissRound(tuple(SwissMatch(*pair, (1.0, 0.0)) for pair in [(0, 2), (1, 3), (4, 6), (5, 7)]))
        paired = next_round(8, 5, [first], (), Baku(8, 5))
        assert {frozenset(pair) for pair in paired.pairs} == {
            frozenset({0, 1}), frozenset({2, 4}), frozenset({3, 5}), frozenset({6, 7})}

    def test_pair_when_an_entrant_of_the_upper_group_is_absent(self):
        paired = next_round(8, 5, [], {0}, Baku(8, 5))
        assert sorted(place for pair in paired.pairs for place in pair) == [1, 2, 3, 4, 5, 6]
        assert paired.bye == 7


class TestPy4Swiss:
    """Another program, which supports virtual points; its other rules are those in force until 31 January 2026."""

    def test_pairs_the_same_rounds(self, tmp_path):
        # Seeds of tournaments in which no pairing depends on the changes of 2026.
        for seed in set(range(30)) - {9, 25, 28} if ALL else {1, 2, 14, 18, 21}:
            dice = random.Random(seed)
            entrants = dice.randint(4, 40)
            rounds = min(dice.randint(3, 9), most_rounds(entrants))
            baku, played = Baku(entrants, rounds), list[SwissRound]()
            for number in range(1, rounds + 1):
                paired = next_round(entrants, rounds, played, (), baku)
                virtual = [[baku.points(earlier, entrant) for earlier in range(1, number + 1)]
                           for entrant in range(entrants)]
                text = trf.write(entrants, rounds, played, set(), virtual)
                assert trf.as_set(paired) == trf.paired_by_py4swiss(text, tmp_path), f"seed {seed}, round {number}"
                played.append(SwissRound(
                    tuple(SwissMatch(*pair, dice.choice(RESULTS)) for pair in paired.pairs), paired.bye))
