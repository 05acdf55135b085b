from pathlib import Path

import pytest

from ratings import Z95
from ratings.score import interval


class TestTheInterval:
    # R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
    # table I, method 3.
    @pytest.mark.parametrize(("successes", "of", "low", "high"), [
        (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718),
    ])
    def test_matches_the_published_one(self, successes, of, low, high):
        assert interval(successes, 0, of - successes) == pytest.approx((low, high), abs=5e-5)

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
