"""Probabilities of one game's results by Davidson's model."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.chances import chances
from ratings.elo import expected_score

ELO = 400 / math.log(10)


class TestChances:
    @given(st.floats(-2000, 2000), st.floats(-2000, 2000), st.floats(-5, 5), st.floats(0, 50))
    def test_add_up_to_one(self, first, second, eta, nu):
        found = chances(first, second, eta=eta, nu=nu)
        assert sum(found) == pytest.approx(1)
        assert min(found) >= 0

    @given(st.floats(-20, 20), st.floats(0, 50))
    def test_mirror_the_chances_of_the_other_seat(self, difference, nu):
        assert chances(difference, 0, nu=nu) == pytest.approx(chances(0, difference, nu=nu)[::-1])

    @given(st.floats(-1500, 1500))
    def test_are_logistic_without_draws(self, elo):
        assert chances(elo / ELO, 0).score == pytest.approx(expected_score(elo), abs=1e-12)

    def test_give_equals_one_third_draws_at_parameter_one(self):
        assert chances(0, 0, nu=1) == pytest.approx((1 / 3, 1 / 3, 1 / 3))

    def test_give_the_first_seat_its_advantage(self):
        assert chances(0, 0, eta=math.log(3)).win == pytest.approx(0.75)
