"""Scores: intervals of a share, chances of one game by Davidson's model, and the reliability of reported chances."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings import Z95
from ratings.chances import chances, decided
from ratings.elo import expected_score
from ratings.reports.calibration import Tally, bin_of, error, of_game
from ratings.score import interval, wilson

ELO = 400 / math.log(10)


class TestTheInterval:
    # R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
    # table I, method 3.
    def test_matches_the_published_one(self):
        for wins, games, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
                                       (1, 29, 0.0061, 0.1718)):
            assert interval(wins, 0, games - wins) == wilson(wins / games, games)
            assert interval(wins, 0, games - wins) == pytest.approx((low, high), abs=5e-5)

    def test_counts_a_draw_as_half_a_win(self):
        assert interval(3, 4, 3) == interval(5, 0, 5)

    def test_covers_everything_before_the_first_game(self):
        assert interval() == (0.0, 1.0)

    def test_reaches_the_ends_exactly(self):
        assert interval(wins=7)[1] == 1.0
        assert interval(losses=7)[0] == 0.0

    def test_uses_the_shared_constant_of_95_percent_intervals(self):
        root = Path(__file__).resolve().parents[2]
        modules = [module for folder in ("engines", "ratings", "tournaments", "frontend")
                   for module in (root / folder).rglob("*.py")]
        assert [module.name for module in modules if str(Z95)[:7] in module.read_text("utf-8")] == ["__init__.py"]


class TestChances:
    @given(st.floats(-2000, 2000), st.floats(-2000, 2000), st.floats(-5, 5), st.floats(0, 50))
    def test_add_up_to_one(self, first, second, eta, nu):
        found = chances(first, second, eta=eta, nu=nu)
        assert sum(found) == pytest.approx(1)
        assert min(found) >= 0

    @given(st.floats(-20, 20), st.floats(0, 50))
    def test_mirror_the_chances_of_the_other_seat(self, difference, nu):
        assert chances(difference, 0, nu=nu) == pytest.approx(chances(0, difference, nu=nu)[::-1])

    @given(st.floats(-2000, 2000), st.floats(-3, 3), st.floats(0, 50))
    def test_of_a_decided_game_leave_out_draws(self, lead, eta, nu):
        found = chances(lead / ELO * (2 + nu) / 2, 0, eta=eta, nu=nu)
        assert decided(lead, eta=eta, nu=nu) == pytest.approx(found.win / (found.win + found.loss))

    @given(st.floats(-1500, 1500))
    def test_are_logistic_without_draws(self, elo):
        assert chances(elo / ELO, 0).score == pytest.approx(expected_score(elo), abs=1e-12)

    def test_give_equals_one_third_draws_at_parameter_one(self):
        assert chances(0, 0, nu=1) == pytest.approx((1 / 3, 1 / 3, 1 / 3))

    def test_give_the_first_seat_its_advantage(self):
        assert chances(0, 0, eta=math.log(3)).win == pytest.approx(0.75)


class TestABin:
    def test_includes_its_lower_end(self):
        assert [bin_of(chance) for chance in (0.0, 0.0999, 0.1, 0.3, 0.7, 0.9999, 1.0)] == [0, 0, 1, 3, 7, 9, 9]

    def test_counts_turns_and_games(self):
        won, lost = of_game([0.62, 0.68, 0.93], 1.0), of_game([0.61], 0.0)
        assert won == {6: Tally(2, 1, 4, 13_000, 4), 9: Tally(1, 1, 1, 9_300, 2)}
        both = won[6].plus(lost[6])
        assert both == Tally(3, 2, 5, 19_100, 4)
        assert both.reported == pytest.approx(0.6367, abs=1e-4)
        assert both.scored == pytest.approx(2 / 3)
        # Three turns of two games are worth 9/5 games.
        assert both.interval == wilson(2 / 3, 9 / 5)

    def test_counts_a_draw_as_half(self):
        assert of_game([0.5, 0.55], 0.5)[5].scored == 0.5


def test_the_error_is_weighted_by_turns():
    tallies = {2: Tally(30, 30, 30, 30 * 2_000, 30), 9: Tally(10, 10, 10, 10 * 9_000, 20)}
    assert error(tallies) == pytest.approx((30 * 0.3 + 10 * 0.1) / 40)
