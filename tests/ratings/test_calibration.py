"""Reliability of reported chances: bins, counts and intervals."""

import pytest

from ratings.reports.calibration import Tally, bin_of, error, of_game
from ratings.score import wilson


class TestWilson:
    @pytest.mark.parametrize(("share", "games", "low", "high"), [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81 / 263, 263, 0.2553, 0.3662), (15 / 148, 148, 0.0624, 0.1605),
        (0 / 20, 20, 0.0, 0.1611), (1 / 29, 29, 0.0061, 0.1718),
    ])
    def test_gives_published_intervals(self, share, games, low, high):
        assert wilson(share, games) == pytest.approx((low, high), abs=5e-5)


class TestABin:
    @pytest.mark.parametrize(("chance", "place"), [(0.0, 0), (0.0999, 0), (0.1, 1), (0.3, 3), (0.7, 7), (0.9999, 9),
                                                   (1.0, 9)])
    def test_includes_its_lower_end(self, chance, place):
        assert bin_of(chance) == place

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
