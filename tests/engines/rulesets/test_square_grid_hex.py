"""Square Grid Hex, ruling by ruling."""

from random import Random

import pytest

from engines.rules.errors import IllegalTurn
from engines.rules.games.square_grid_hex import SquareGridHex
from engines.rules.notation import SWAP
from engines.rules.outcome import Ending


def play(position, *texts):
    for text in texts:
        position = position.play(position.parse(text))
    return position


def refused_rule(position, text):
    with pytest.raises(IllegalTurn) as refused:
        position.check(position.parse(text))
    return refused.value.rule


class TestAConnection:
    def test_runs_along_the_diagonal_to_the_north_east(self):
        after = play(SquareGridHex.setup(["..1", "...", "1.."]), "b2")
        assert (after.outcome.winner, after.outcome.reason) == (0, Ending.CONNECTION)
        assert after.outcome.cells == (8, 4, 0)

    def test_of_white_joins_west_and_east(self):
        after = play(SquareGridHex.setup(["...", ".22", "..."], 1), "a1")
        assert (after.outcome.winner, after.outcome.cells) == (1, (0, 4, 5))


class TestSwap:
    def test_makes_the_black_stone_white_and_lets_black_move_next(self):
        after = play(SquareGridHex.start(5), "b4", "swap")
        assert after.rows() == [".....", ".2...", ".....", ".....", "....."]
        assert after.seat_to_move == 0

    def test_is_legal_only_as_whites_first_turn(self):
        start = SquareGridHex.start(5)
        assert refused_rule(start, "swap") == "swap"
        assert refused_rule(play(start, "b4", "swap"), "swap") == "swap"
        assert refused_rule(play(start, "b4", "c3"), "swap") == "swap"
        assert refused_rule(play(start, "b4", "c3", "d2"), "swap") == "swap"
        assert refused_rule(play(start, "b4", "swap", "c3"), "swap") == "swap"

    def test_is_offered_as_a_step_and_as_a_legal_turn(self):
        position = play(SquareGridHex.start(3), "b2")
        assert position.steps().next == (SWAP, 0, 1, 2, 3, 5, 6, 7, 8)
        assert position.steps((SWAP,)).may_end
        assert position.steps((SWAP,)).next == ()
        assert (SWAP,) in list(position.legal_turns())
        assert (SWAP,) in {position.random_turn(Random(seed)) for seed in range(60)}

    def test_needs_a_black_stone_on_a_board_set_up(self):
        assert SquareGridHex.setup(["...", ".1.", "..."], 1).can_swap
        assert not SquareGridHex.setup(["...", ".2.", "..."], 1).can_swap
        assert not SquareGridHex.setup(["...", ".1.", "..."], 0).can_swap
        assert not SquareGridHex.setup(["...", "...", "..."], 1).can_swap

    def test_is_drawn_as_a_stone_that_changes_colour(self):
        position = play(SquareGridHex.start(3), "b2")
        assert position.ops((SWAP,)) == ((4, 1),)


class TestATurn:
    def test_places_one_stone_on_an_empty_point(self):
        position = play(SquareGridHex.start(5), "b4")
        assert refused_rule(position, "a1,a2") == "stones"
        assert refused_rule(position, "b4") == "occupied"
        assert refused_rule(position, "pass") == "pass"
