from itertools import accumulate
from math import inf, log
from random import Random

import pytest

from engines.kit.score import Sprt, Tally, elo_of, interval, score_of


class TestTheInterval:
    # R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
    # table I, method 3.
    @pytest.mark.parametrize(("successes", "of", "low", "high"), [
        (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718),
    ])
    def test_is_the_published_one(self, successes, of, low, high):
        assert interval(Tally(successes, 0, of - successes)) == pytest.approx((low, high), abs=5e-5)

    def test_counts_a_draw_as_half_a_win(self):
        assert interval(Tally(3, 4, 3)) == interval(Tally(5, 0, 5))

    def test_says_nothing_before_the_first_game(self):
        assert interval(Tally()) == (0.0, 1.0)

    def test_reaches_the_ends_exactly(self):
        assert interval(Tally(wins=7))[1] == 1.0
        assert interval(Tally(losses=7))[0] == 0.0


class TestElo:
    @pytest.mark.parametrize(("score", "elo"), [(0.5, 0), (0.75, 190.849), (10 / 11, 400), (1 / 11, -400)])
    def test_is_logistic(self, score, elo):
        assert elo_of(score) == pytest.approx(elo, abs=1e-3)
        assert score_of(elo) == pytest.approx(score, abs=1e-6)

    def test_has_no_bound(self):
        assert (elo_of(0.0), elo_of(1.0)) == (-inf, inf)


class TestTheSprt:
    def test_has_walds_bounds(self):
        assert Sprt(0, 10).bounds == pytest.approx((-2.944, 2.944), abs=5e-4)
        assert Sprt(0, 10, alpha=0.01, beta=0.1).bounds == pytest.approx((log(0.1 / 0.99), log(90)))

    def test_is_walds_binomial_test_without_draws(self):
        tally, low, high = Tally(wins=60, losses=40), score_of(0), score_of(50)
        expected = 60 * log(high / low) + 40 * log((1 - high) / (1 - low))
        assert Sprt(0, 50).log_likelihood_ratio(tally) == pytest.approx(expected, abs=0.01)

    @pytest.mark.parametrize("tally", [Tally(30, 25, 20), Tally(3, 90, 8), Tally(50, 10, 1)])
    def test_compares_the_likeliest_distributions(self, tally):
        def best(score):
            """The greatest log-likelihood of all distributions of this mean, found by trying shares of wins."""
            def likelihood(wins):
                draws = 2 * (score - wins)
                losses = 1 - wins - draws
                if min(wins, draws, losses) <= 0:
                    return -inf
                return tally.wins * log(wins) + tally.draws * log(draws) + tally.losses * log(losses)
            return max(likelihood(step / 200_000) for step in range(1, 200_000))
        ratio = best(score_of(60)) - best(score_of(-20))
        assert Sprt(-20, 60).log_likelihood_ratio(tally) == pytest.approx(ratio, abs=1e-5)

    def test_knows_nothing_before_the_first_game(self):
        test = Sprt(0, 10)
        assert test.log_likelihood_ratio(Tally()) == 0
        assert test.accepts(Tally()) is None

    def test_accepts_what_the_games_show(self):
        test = Sprt(0, 100)
        assert test.accepts(Tally(wins=20)) == 100
        assert test.accepts(Tally(losses=20)) == 0
        assert test.accepts(Tally(3, 0, 3)) is None

    @pytest.mark.parametrize(("true", "wrong"), [(0, 150), (150, 0)])
    def test_errs_about_once_in_twenty(self, true, wrong):
        rng, test = Random(2026), Sprt(0, 150)
        ends = []
        for _ in range(200):
            games = accumulate(iter(lambda: _result(rng, score_of(true)), None), Tally.plus, initial=Tally())
            ends.append(next(end for tally in games if (end := test.accepts(tally)) is not None))
        # 0.05 of 200 is 10; as many as 20 would come by chance less than once in 500 times.
        assert ends.count(wrong) < 20


def _result(rng, score):
    """A game: a fifth of them are drawn."""
    draw = rng.random()
    return 0.5 if draw < 0.2 else float(draw < 0.2 + score - 0.1)
