"""OOSCG-W, ruling by ruling, and bonus stones against a slow definition."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.rules.errors import IllegalTurn
from engines.rules.games.ooscg_w import OoscgW, bonus_enough, crosscut_enemies, most_bonus
from engines.rules.outcome import Ending
from engines.rules.ruleset import SetupError
from tests.effort import examples

ONE_CROSSCUT = [".....", ".12..", ".2...", ".....", "....."]
seeds = st.integers(0, 2**32 - 1)


def crosscuts(stones, size):
    """Return every 2×2 square with two stones of each seat on its diagonals, by definition."""
    found = []
    for row in range(size - 1):
        for column in range(size - 1):
            a = row * size + column
            square = tuple(stones[cell] for cell in (a, a + 1, a + size + 1, a + size))
            if square in ((1, 2, 1, 2), (2, 1, 2, 1)):
                found.append((a, a + 1, a + size + 1, a + size))
    return found


def bonus_sets(stones, size, seat, count):
    """Return every set of `count` empty cells on which the seat's stones form no crosscut, found by trial."""
    before = len(crosscuts(stones, size))
    for cells in combinations([cell for cell, stone in enumerate(stones) if not stone], count):
        filled = bytearray(stones)
        for cell in cells:
            filled[cell] = seat + 1
        if len(crosscuts(filled, size)) == before:
            yield cells


def crowded(size, seed):
    """Return a board without crosscuts and with few empty cells, where bonus stones run short."""
    rng = Random(seed)
    stones = bytearray(size * size)
    for cell in rng.sample(range(size * size), rng.randrange(size * size // 2, size * size)):
        first = rng.choice((1, 2))
        for stone in (first, 3 - first):
            if not crosscut_enemies(stones, size, stone - 1, cell):
                stones[cell] = stone
                break
    return bytes(stones)


def refusal(rows, text, seat=0):
    position = OoscgW.setup(rows, seat)
    with pytest.raises(IllegalTurn) as refused:
        position.check(position.parse(text))
    return refused.value.rule, str(refused.value)


class TestACrosscut:
    def test_loses_its_enemy_stones_to_the_stone_that_forms_it(self):
        position = OoscgW.setup(ONE_CROSSCUT)
        after = position.play(position.parse("c3,a1,e5"))
        assert after.rows() == ["....1", ".1...", "..1..", ".....", "1...."]

    def test_costs_up_to_four_stones_when_one_stone_forms_several(self):
        position = OoscgW.setup(["1.2.1", ".2.2.", "..2..", ".....", "....."])
        assert position.is_legal(position.parse("c4"))
        position = OoscgW.setup([".....", ".121.", ".2.2.", ".121.", "....."])
        after = position.play(position.parse("c3,a1,a2,e4,e5"))
        assert after.rows() == ["....1", ".1.11", "..1..", "11.1.", "1...."]

    def test_is_refused_on_a_board_set_up(self):
        with pytest.raises(SetupError, match="crosscut"):
            OoscgW.setup(["12.", "21.", "..."])


TWO_PLACES = [".....", ".12..", ".2...", "...12", "...2."]
TOGETHER = [".....", ".12..", ".2...", "....2", "...2."]
# A board, a turn, the rule that it breaks, and the sentence or a part of it.
REFUSED = [
    (ONE_CROSSCUT, "c3", "bonus-few", ""),
    (ONE_CROSSCUT, "c3,a1", "bonus-few", "c3 removes 2 stones and 2 bonus stones fit, so 2 must follow, not 1"),
    (ONE_CROSSCUT, "c3,a1,e5,e1", "bonus-many", ""),
    (ONE_CROSSCUT, "a1,e5", "no-crosscut", "a1 forms no crosscut, so no bonus stone may follow"),
    (TWO_PLACES, "c3,a1,e1", "crosscut", "the bonus stone on e1 forms a crosscut with d1 and e2"),
    (TOGETHER, "c3,e1,d2", "crosscut", ""),
    (ONE_CROSSCUT, "c3,b4,a1", "occupied", ""),
    (ONE_CROSSCUT, "c3,a1,a1", "twice", ""),
    (ONE_CROSSCUT, "c3,c3,a1", "twice", ""),
    (ONE_CROSSCUT, "b3,c4", "occupied", ""),
]


class TestBonusStones:
    def test_may_stand_where_stones_were_just_removed(self):
        position = OoscgW.setup(ONE_CROSSCUT)
        assert position.play(position.parse("c3,b3,c4")).rows() == [".....", ".11..", ".11..", ".....", "....."]

    def test_are_refused_with_the_rule_and_the_reason(self):
        for rows, text, rule, words in REFUSED:
            found, message = refusal(rows, text)
            assert (found, words in message) == (rule, True), (text, found, message)
        OoscgW.setup(TOGETHER).check((12, 0, 4))

    def test_are_fewer_when_fewer_fit(self):
        position = OoscgW.setup(["12111", "1222.", "2.212", "221.2", "12121"])
        turns = [position.format(turn) for turn in position.legal_turns() if turn[0] == position.parse("b3")[0]]
        assert turns == ["b3,a3,c3"]
        assert refusal(position.rows(), "b3,a3")[0] == "bonus-few"

    def test_are_not_required_if_none_fits(self):
        position = OoscgW.setup(["21112", "11211", "2.221", "221.2", "12211"])
        after = position.play(position.parse("b3"))
        assert after.stones.count(0) == 3

    def test_are_as_many_as_possible_not_just_any_maximal_set(self):
        stones = OoscgW.setup(["2.212", ".2.11", "221.2", "21121", "11221"]).stones
        b5 = 21
        assert most_bonus(stones, 5, 0, 2) == 2
        assert not bonus_enough(stones, 5, 0, 2, [b5])

    @settings(max_examples=examples(200))
    @given(seeds, st.integers(0, 4), st.integers(0, 1))
    def test_are_as_many_as_an_exhaustive_search_finds(self, seed, owed, seat):
        stones = crowded(4, seed)
        most = max(count for count in range(owed + 1) if set(bonus_sets(stones, 4, seat, count)))
        assert most_bonus(stones, 4, seat, owed) == most
        allowed = set(bonus_sets(stones, 4, seat, most))
        empty = [cell for cell, stone in enumerate(stones) if not stone]
        for cells in combinations(empty, most):
            assert bonus_enough(stones, 4, seat, owed, cells) == (cells in allowed)


class TestATurn:
    def test_with_the_same_stones_but_another_first_is_another_turn(self):
        position = OoscgW.setup(["121", ".1.", ".2."], 1)
        assert position.play(position.parse("a2,a1,c2")).rows() == [".21", "2.2", "22."]
        assert position.play(position.parse("c2,a1,a2")).rows() == ["12.", "2.2", "22."]

    def test_is_drawn_as_first_stone_then_removals_then_bonus_stones(self):
        position = OoscgW.setup(ONE_CROSSCUT)
        assert position.ops(position.parse("c3,c4,a1")) == ((12, 0), (11, None), (17, None), (17, 0), (0, 0))

    def test_may_end_only_if_no_bonus_stone_is_missing(self):
        position = OoscgW.setup(ONE_CROSSCUT)
        assert position.steps(position.parse("a1")).may_end
        assert position.steps(position.parse("c3")).next
        assert not position.steps(position.parse("c3")).may_end
        assert position.steps(position.parse("c3,a1,e5")) == position.steps(position.parse("a1"))


class TestTheGame:
    def test_is_won_by_joining_both_sides_at_the_end_of_a_turn(self):
        position = OoscgW.setup(["1..", "1..", ".22"])
        after = position.play(position.parse("a1"))
        assert (after.outcome.winner, after.outcome.reason) == (0, Ending.CONNECTION)
        assert after.outcome.cells == (6, 3, 0)
        after = OoscgW.setup(["1..", "1..", ".22"], 1).play((0,))
        assert (after.outcome.winner, after.outcome.cells) == (1, (0, 1, 2))

    def test_is_won_by_a_bonus_stone_too(self):
        position = OoscgW.setup([".1...", ".12..", ".2...", "..1..", "..1.."])
        assert position.play(position.parse("c3,b3,a1")).outcome.winner == 0
