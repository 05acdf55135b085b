"""SquareSquared, ruling by ruling: Tromp-Taylor's Go and the scoring by rings."""

import pytest

from engines.rules.errors import IllegalTurn
from engines.rules.games.squaresquared import SquareSquared, rings
from engines.rules.outcome import Ending

FOUR_IN_ATARI = ["..1..", ".121.", "12.21", ".121.", "..1.."]


def play(position, *texts):
    for text in texts:
        position = position.play(position.parse(text))
    return position


def refusal(position, text):
    with pytest.raises(IllegalTurn) as refused:
        position.check(position.parse(text))
    return refused.value.rule, str(refused.value)


class TestAStone:
    def test_may_be_the_suicide_of_several_stones(self):
        position = SquareSquared.setup(FOUR_IN_ATARI, 1)
        assert play(position, "c3").rows() == ["..1..", ".1.1.", "1...1", ".1.1.", "..1.."]
        removed = ((7, None), (11, None), (12, None), (13, None), (17, None))
        assert position.ops(position.parse("c3")) == ((12, 1), *removed)

    def test_may_not_be_the_suicide_of_itself_alone(self):
        position = SquareSquared.setup([".1.", "1.1", ".1."], 1)
        assert refusal(position, "b2") == ("superko", "b2 would only remove itself, which repeats the position")

    def test_is_placed_one_per_turn_on_an_empty_point(self):
        position = SquareSquared.setup(FOUR_IN_ATARI)
        assert refusal(position, "a1,b1")[0] == "stones"
        assert refusal(position, "c4")[0] == "occupied"
        assert refusal(position, "swap")[0] == "swap"


class TestSuperko:
    def test_forbids_retaking_a_ko_at_once(self):
        position = play(SquareSquared.setup([".12.", "12.2", ".12.", "...."]), "c3")
        assert refusal(position, "b3") == ("superko", "b3 repeats an earlier position of the board")

    def test_distinguishes_equal_boards_with_different_histories(self):
        one = play(SquareSquared.start(3), "a1", "c3", "a3", "c1")
        other = play(SquareSquared.start(3), "a3", "c3", "a1", "c1")
        assert one.stones == other.stones
        assert one != other
        assert one == play(SquareSquared.start(3), "a1", "c3", "a3", "c1")


class TestTwoPasses:
    def test_end_the_game_even_at_once(self):
        outcome = play(SquareSquared.start(3), "pass", "pass").outcome
        assert (outcome.winner, outcome.reason, outcome.cells) == (None, Ending.TWO_PASSES, ())
        assert outcome.counts == ((0, 0), (0, 0))


class TestTheScore:
    def test_counts_the_stones_of_each_ring_corners_once(self):
        position = SquareSquared.setup(["1..22", ".1.1.", "..2.1", "....2", "1..2."])
        assert position.ring_counts() == ((3, 4), (2, 0), (0, 1))
        assert [len(ring) for ring in rings(5)] == [16, 8, 1]
        assert [len(ring) for ring in rings(6)] == [20, 12, 4]

    def test_is_decided_by_the_outermost_ring(self):
        outcome = play(SquareSquared.setup(["..2", ".1.", "..."]), "pass", "pass").outcome
        assert (outcome.winner, outcome.counts) == (1, ((0, 1), (1, 0)))
        assert outcome.cells == (0, 1, 2, 3, 5, 6, 7, 8)

    def test_moves_to_the_next_ring_if_the_outer_one_is_tied(self):
        outcome = play(SquareSquared.setup(["1...2", "..2..", ".....", ".....", "....."]), "pass", "pass").outcome
        assert (outcome.winner, outcome.cells) == (1, rings(5)[1])

    def test_is_a_draw_when_all_rings_are_tied(self):
        outcome = play(SquareSquared.setup(["1..2", "....", ".12.", "...."]), "pass", "pass").outcome
        assert (outcome.winner, outcome.cells, outcome.counts) == (None, (), ((1, 1), (1, 1)))
