"""Do ratings tell the whole story: tails and corrections, known lotteries, planted and absent cycles."""

import random

import numpy as np
import pytest
from scipy import optimize, stats

from ratings.fit.pairs import from_games
from ratings.fit.student import beta_interval, holm, quantile, two_sided
from ratings.official import official
from ratings.transitivity import LARGEST
from ratings.transitivity.lottery import maximal_lottery
from tests.bench.ratings.cycles import Setting, play


def margins(*upper: float) -> np.ndarray:
    """Return the antisymmetric matrix with this upper triangle, row by row."""
    n = round((1 + (1 + 8 * len(upper)) ** 0.5) / 2)
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = upper
    return matrix - matrix.T


class TestStudentsTail:
    def test_equals_scipys(self) -> None:
        for freedom in (1.0, 2.5, 4.0, 30.0, 500.0):
            for t in (0.0, 1e-3, 0.7, -2.3, 5.0, 40.0):
                assert two_sided(t, freedom) == pytest.approx(2.0 * stats.t.sf(abs(t), freedom), rel=1e-9)

    def test_has_scipys_quantiles_from_four_degrees_on(self) -> None:
        freedom = np.array([4.0, 4.5, 6.0, 10.0, 100.0, 1e12])
        assert quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=0.004)

    def test_of_a_beta_distribution_is_scipys(self) -> None:
        for a, b in ((1.0, 1.0), (0.6, 3.0), (21.0, 1.5), (400.0, 4e4)):
            assert beta_interval(a, b) == pytest.approx(stats.beta.ppf([0.025, 0.975], a, b), abs=1e-9)

    def test_corrected_by_holm_follows_the_papers_steps(self) -> None:
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
        assert holm([]) == []


class TestTheLottery:
    def test_of_known_games(self) -> None:
        for game, expected in (
                (margins(1, -1, 1), [1 / 3, 1 / 3, 1 / 3]),
                # A player's probability is the margin between the two others: a over b by 1, b over c 3, c over a 2.
                (margins(1, -2, 3), [1 / 2, 1 / 3, 1 / 6]),
                (margins(0.1, 0.1, -0.9), [1, 0, 0]), (margins(0, 0, 0), [1, 0, 0]), (margins(), [1])):
            assert maximal_lottery(game) == pytest.approx(expected)

    def test_is_a_linear_programmes(self) -> None:
        for n in (2, 5, 12, 40):
            game = margins(*np.random.default_rng(n).normal(size=n * (n - 1) // 2))
            solved = optimize.linprog(np.zeros(n), A_ub=game, b_ub=np.zeros(n), A_eq=np.ones((1, n)), b_eq=[1.0])
            assert maximal_lottery(game) == pytest.approx(solved.x, abs=1e-8)

    def test_is_beaten_by_no_player_even_with_many_ties(self) -> None:
        for seed in range(20):
            game = margins(*np.random.default_rng(seed).integers(-1, 2, size=190))
            chances = maximal_lottery(game)
            assert (chances @ game).min() > -1e-9
            assert chances.sum() == pytest.approx(1.0)


class TestFindings:
    def test_name_a_planted_cycle_and_share_the_lottery(self) -> None:
        table, planted = play(Setting("", bots=6, planted=0.65), random.Random(5))
        made = official(table)
        found = made.transitivity
        assert found.cycling == 1
        assert {made.lines[rank - 1].player for rank in found.cycles[0].players} == planted
        assert min(found.cycles[0].shares) > 0.5
        assert found.deviating >= 1
        for each in found.deviations:
            assert each.points > each.expected
            assert each.probability <= 0.05
        assert sum(found.lottery) == pytest.approx(1.0, abs=1e-5)

    def test_are_the_same_without_the_fits_start_and_in_any_order_of_games(self) -> None:
        games = [(a, b, score, None) for a, b, score in [(1, 2, 1.0), (2, 3, 1.0), (3, 1, 1.0), (1, 3, 0.5)]] * 30
        first = official(from_games(games))
        assert official(from_games(games[::-1]), start=first.fit).transitivity == first.transitivity
        assert first.transitivity.cycling == 1

    def test_need_more_than_one_opening(self) -> None:
        games = [(1, 2, 1.0, "a"), (2, 3, 1.0, "a"), (3, 1, 1.0, "a")] * 100
        found = official(from_games(games)).transitivity
        assert (found.tested, found.cycling, found.deviating) == (0, 0, 0)

    def test_do_not_see_cycles_in_repeats_of_a_few_games(self) -> None:
        games = [(1, 2, 1.0, "a"), (2, 3, 1.0, "a"), (3, 1, 1.0, "a"), (1, 2, 1.0, "b"), (2, 3, 1.0, "b")] * 50
        assert official(from_games(games)).transitivity.cycling == 0

    def test_are_rarely_false_on_transitive_ladders(self) -> None:
        dice, setting = random.Random(1), Setting("", bots=8, games=20)
        found = [official(play(setting, dice)[0]).transitivity for _ in range(20)]
        assert sum(each.cycling > 0 for each in found) == 0
        assert sum(each.deviating > 0 for each in found) <= 2

    def test_are_left_out_without_games_and_for_large_ladders(self) -> None:
        assert official(from_games([])).transitivity is None
        assert official(from_games([(n, n + 1, 1.0, None) for n in range(LARGEST)])).transitivity is None
