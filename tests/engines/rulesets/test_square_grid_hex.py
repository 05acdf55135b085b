"""Square Grid Hex, ruling by ruling, and known facts about Hex."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.rules.errors import IllegalTurn
from engines.rules.games.square_grid_hex import SquareGridHex
from engines.rules.grid import HEXAGONAL, joining_path, neighbours
from engines.rules.notation import SWAP
from engines.rules.outcome import Ending
from tests.effort import examples

seeds = st.integers(0, 2**32 - 1)


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

    def test_does_not_run_along_the_other_diagonal(self):
        assert play(SquareGridHex.setup(["1..", "...", "..1"]), "b2").outcome is None

    def test_of_white_joins_west_and_east(self):
        after = play(SquareGridHex.setup(["...", ".22", "..."], 1), "a1")
        assert (after.outcome.winner, after.outcome.cells) == (1, (0, 4, 5))

    def test_gives_a_point_the_six_neighbours_of_hex(self):
        assert sorted(neighbours(3, HEXAGONAL)[4]) == [0, 1, 3, 5, 7, 8]
        assert [len(near) for near in neighbours(3, HEXAGONAL)] == [3, 4, 2, 4, 6, 4, 2, 4, 3]

    @settings(max_examples=examples(80))
    @given(seeds, st.integers(3, 13))
    def test_exists_for_exactly_one_side_on_a_full_board(self, seed, size):
        stones = bytes(Random(seed).choices((1, 2), k=size * size))
        joined = [seat for seat in (0, 1) if joining_path(stones, size, seat, neighbours(size, HEXAGONAL))]
        position = SquareGridHex.setup(SquareGridHex(size=size, stones=stones).rows())
        assert joined == [position.outcome.winner]


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


class TestTheGame:
    def test_accepts_no_turn_when_over(self):
        after = play(SquareGridHex.setup(["..1", "...", "1.."]), "b2")
        assert not list(after.legal_turns())
        assert after.steps().next == ()
        assert refused_rule(after, "a2") == "over"

    @settings(max_examples=examples(25))
    @given(seeds, st.integers(3, 9))
    def test_ends_every_random_playout_with_one_side_joined(self, seed, size):
        rng, position = Random(seed), SquareGridHex.start(size)
        while position.outcome is None:
            position = position.after(position.random_turn(rng))
            joined = [seat for seat in (0, 1)
                      if joining_path(position.stones, size, seat, neighbours(size, HEXAGONAL))]
            assert joined == ([] if position.outcome is None else [position.outcome.winner])

    def test_without_swap_is_won_by_the_first_player_except_near_acute_corners(self):
        # Solved Hex: Nash's theorem, and the openings a1 and b1, which Beck proved to lose. Hex's acute corners are the
        # points with two neighbours, here a3 and c1; b3 and b1 are next to them on black's sides.
        solved: dict[tuple[bytes, int], bool] = {}

        def mover_wins(position):
            key = (position.stones, position.seat_to_move)
            if key not in solved:
                solved[key] = any(wins(position, turn) for turn in position.legal_turns() if turn != (SWAP,))
            return solved[key]

        def wins(position, turn):
            after = position.after(turn)
            return after.outcome is not None or not mover_wins(after)

        start = SquareGridHex.start(3)
        lost = {start.format(turn) for turn in start.legal_turns() if not wins(start, turn)}
        assert mover_wins(start)
        assert lost == {"a3", "b3", "b1", "c1"}
