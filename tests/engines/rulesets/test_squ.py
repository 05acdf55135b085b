"""SQU, ruling by ruling."""

from random import Random

import pytest

from engines.rules.errors import IllegalTurn
from engines.rules.games.squ import Mark, Squ
from engines.rules.outcome import Ending


def play(position, *texts):
    for text in texts:
        position = position.play(position.parse(text))
    return position


class TestATurn:
    @pytest.mark.parametrize(("rows", "discs"), [
        (["....", "....", "....", "...."], 1),
        (["....", "....", "....", "...1"], 2),
        (["1212", "1212", "1212", "12.."], 2),
        (["1212", "1212", "1212", "121."], 1),
    ])
    def test_places_one_disc_first_and_on_the_last_cell_otherwise_two(self, rows, discs):
        position = Squ.setup(rows)
        assert position.discs == discs
        assert {len(turn) for turn in position.legal_turns()} == {discs}
        assert len(position.random_turn(Random(0))) == discs

    def test_with_another_number_of_discs_is_refused(self):
        for rows, text, message in (
            (["...."] * 4, "a1,b1", "this turn places one disc, not 2"),
            (["...1", "....", "....", "...."], "a1", "this turn places two discs, not 1"),
            (["...1", "....", "....", "...."], "a1,b1,c1", "this turn places two discs, not 3"),
        ):
            position = Squ.setup(rows)
            with pytest.raises(IllegalTurn, match=message) as refused:
                position.check(position.parse(text))
            assert refused.value.rule == "discs"

    def test_needs_distinct_empty_cells_and_has_no_pass(self):
        position = Squ.setup(["...1", "....", "....", "...."])
        for text, rule in (("a1,a1", "twice"), ("a1,d4", "occupied"), ("pass", "pass"), ("swap", "swap")):
            with pytest.raises(IllegalTurn) as refused:
                position.check(position.parse(text))
            assert refused.value.rule == rule

    def test_is_built_disc_by_disc_without_dead_ends(self):
        position = Squ.setup(["1212", "1212", "1212", "1..."])
        assert position.steps() == type(position.steps())((1, 2, 3), False)
        assert position.steps((2,)).next == (1, 3)
        assert not position.steps((2,)).may_end
        assert position.steps((2, 1)).next == ()
        assert position.steps((2, 1)).may_end
        assert list(position.legal_turns()) == [(1, 2), (1, 3), (2, 3)]


class TestTheRecord:
    def test_is_the_largest_squ_that_the_turn_completes(self):
        position = Squ.setup(["1..1", "....", ".1..", "1..."])
        assert play(position, "d1,a2").record == Mark(4, 0, (0, 3, 12, 15))
        position = Squ.setup(["....", "1.1.", ".1..", "1..."])
        assert play(position, "c1,d4").record == Mark(3, 0, (0, 2, 8, 10))

    def test_is_not_broken_by_an_equal_squ_of_the_other_colour(self):
        position = Squ.setup(["22..", "....", "11..", "1..."])
        black = play(position, "b1,d1", "a3,b3")
        assert black.record == Mark(2, 0, (0, 1, 4, 5))
        assert play(position, "d4,d1", "a3,b3").record == Mark(2, 1, (8, 9, 12, 13))

    def test_of_a_board_set_up_is_its_largest_squ_and_seat_0s_of_two_equal_ones(self):
        assert Squ.setup(["22..", "22..", "11..", "11.."]).record == Mark(2, 0, (0, 1, 4, 5))
        assert Squ.setup(["2.2.", "22..", "2.2.", "11.."]).record == Mark(3, 1, (4, 6, 12, 14))
        assert Squ.setup(["12..", "21..", "....", "...."]).record is None


class TestTheGame:
    def test_is_won_by_the_last_mark_when_the_board_is_full(self):
        position = Squ.setup(["1221", "2112", "2122", "122."])
        after = play(position, "d1")
        assert after.outcome.winner == 0
        assert after.outcome.reason == Ending.BOARD_FULL
        assert after.outcome.cells == (0, 3, 12, 15)

    def test_is_drawn_if_no_side_made_a_squ(self):
        rows = ["22111221", "12122211", "22112122", "11222121", "21121122", "11221211", "12212122", "11112221"]
        outcome = Squ.setup(rows).outcome
        assert (outcome.winner, outcome.reason, outcome.cells) == (None, Ending.BOARD_FULL, ())
