"""The chances of a test with a maximum number of pairs."""

import numpy as np
import pytest

from ratings.power import power
from ratings.sprt import Bounds
from tournaments.services.ladders import trials


class TestThePower:
    def test_of_the_default_trial_decides_at_least_85_percent_at_both_bounds(self):
        bounds = Bounds(trials.ELO0, trials.ELO1, trials.RISK, trials.RISK)
        strong, weak = (power(bounds, trials.PAIRS, worth) for worth in (bounds.elo1, bounds.elo0))
        assert strong.passed >= 0.85
        assert weak.failed >= 0.85

    @pytest.mark.parametrize("worth", [-20, 0, 15, 30, 50])
    def test_is_that_of_a_simulated_random_walk(self, worth):
        """The ratio's steps are normal, with the mean and variance that `Bounds.information` states."""
        bounds, most, runs = Bounds(0, 30, 0.05, 0.1), 300, 2000
        step = np.random.default_rng(1).standard_normal((runs, most), dtype=np.float32)
        walk = np.cumsum(step * bounds.information**0.5 + bounds.information * (worth / 30 - 0.5), axis=1)
        up, down = walk >= bounds.upper, walk <= bounds.lower
        first_up, first_down = (np.where(hit.any(axis=1), hit.argmax(axis=1), most) for hit in (up, down))
        found = power(bounds, most, worth)
        three_errors = 3 * 0.5 / runs**0.5
        assert found.passed == pytest.approx(np.mean(first_up < first_down), abs=three_errors)
        assert found.failed == pytest.approx(np.mean(first_down < first_up), abs=three_errors)

    def test_adds_up_and_tends_to_the_risks_of_an_unlimited_test(self):
        bounds = Bounds(0, 30)
        for most in (1, 10, 100, 5000):
            for worth in (-100, 0, 15, 30, 100):
                made = power(bounds, most, worth)
                ends = (made.passed, made.failed, made.inconclusive)
                assert min(ends) >= 0
                assert sum(ends) == pytest.approx(1)
        assert power(bounds, 5000, 0).passed == pytest.approx(0.05, abs=0.006)
        assert power(Bounds(-100, 100, 1e-6, 1e-6), 10, 0).inconclusive == pytest.approx(1, abs=0.01)
