"""The simulation behind the intervals: its arithmetic is the product's, and a few of its cells."""

import numpy as np
import pytest

from ratings import Z95
from ratings.fit.pairs import from_arrays
from ratings.official import official
from tests.bench.ratings import batch
from tests.bench.ratings.coverage import NEW, play, truth_of


class TestTheBatch:
    def test_gives_the_products_numbers(self) -> None:
        for draws, openings, same in ((0, 1, True), (50, 4, False), (95, NEW, False), (0, 4, False)):
            ladders = play(np.random.default_rng(draws), 3, 4, 10, openings, draws, same=same)[0]
            rated = batch.rate(ladders)
            for run in range(3):
                table = official(from_arrays(ladders.low, ladders.high, ladders.counts[run], ladders.moments[run]))
                lines = sorted(table.lines, key=lambda line: line.player)
                assert [line.rating - 1500 for line in lines] == pytest.approx(rated.rating[run], abs=1.5)
                assert [line.high - line.rating for line in lines] == pytest.approx(rated.half[run], rel=0.02)
                assert table.first_move_advantage.value == pytest.approx(rated.eta[run], abs=1.5)


class TestIntervals:
    def test_contain_the_true_value_whatever_the_openings(self) -> None:
        """800 intervals each: two standard errors of a share of 95 % are 1.6 %."""
        for bots, openings, same in ((2, 1, False), (2, 1, True), (5, 1, False), (5, 4, True), (5, NEW, False)):
            ladders, theta, eta, _ = play(np.random.default_rng(1), 800 // bots, bots, 20, openings, 50, same=same)
            rated = batch.rate(ladders)
            held = np.abs(rated.rating - truth_of(theta, 50)) <= rated.half
            assert 0.92 <= held.mean() <= 0.99, (bots, openings, same)
            advantage = np.abs(rated.eta - rated.scale * eta) <= Z95 * np.sqrt(rated.eta_variance)
            assert 0.90 <= advantage.mean() <= 0.99, (bots, openings, same)
