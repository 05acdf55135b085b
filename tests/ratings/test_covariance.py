"""Standard errors compared with explicit matrices, published errors, and simulations."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.fit import covariance
from ratings.fit.clusters import scores
from ratings.fit.covariance import Covariance, contrast_variance
from ratings.fit.davidson import Fit, prepared
from ratings.fit.pairs import PairTable, from_games
from tests.bench.ratings.coverage import Setting, measure, naive
from tests.effort import examples
from tests.ratings.test_davidson import BASEBALL, TEAMS, baseball, chain, fit

PLAYERS = st.integers(1, 6)
GAMES = st.lists(
    st.tuples(PLAYERS, PLAYERS, st.sampled_from([1.0, 0.5, 0.0]), st.sampled_from([None, "a", "b"])).filter(
        lambda game: game[0] != game[1]), min_size=1, max_size=40)


def written_out(games: list, fitted: Fit) -> np.ndarray:
    """Return Σ s sᵀ over clusters, game by game from the model's formula."""
    places = {player: place for place, player in enumerate(fitted.players)}
    clusters: dict[object, np.ndarray] = {}
    for number, (first, second, score, opening) in enumerate(games):
        x = fitted.theta[places[first]] - fitted.theta[places[second]] + fitted.eta
        win, draw, loss = np.array([math.exp(x / 2), fitted.nu, math.exp(-x / 2)]) / (
            math.exp(x / 2) + fitted.nu + math.exp(-x / 2))
        slope = (score - 0.5) - 0.5 * (win - loss)
        s = np.zeros(len(places) + 2)
        s[places[first]], s[places[second]], s[-2] = slope, -slope, slope
        s[-1] = (score == 0.5) - draw if fitted.nu else 0.0
        key = (frozenset((first, second)), opening) if opening else number
        clusters[key] = clusters.get(key, 0.0) + s
    return sum((np.outer(s, s) for s in clusters.values()), np.zeros((len(places) + 2,) * 2))


def dense(curvature) -> np.ndarray:
    return np.array([curvature.times(unit) for unit in np.eye(len(curvature.diagonal))])


def errors(table: PairTable, **limits) -> Covariance:
    likelihood = prepared(table)
    return Covariance(likelihood, fit(table), **limits)


class TestScores:
    @given(GAMES)
    @settings(max_examples=examples(60))
    def test_match_an_explicit_sum_over_clusters(self, games) -> None:
        table = from_games(games)
        fitted, likelihood = fit(table), prepared(table)
        middle = scores(likelihood, fitted.theta, fitted.eta, fitted.nu)
        written = written_out(games, fitted) + likelihood.precision * np.eye(len(fitted.theta) + 2)
        assert dense(middle) == pytest.approx(written, abs=1e-9)


class TestCovariance:
    def test_has_the_standard_errors_published_for_baseball(self) -> None:
        # The published errors assume independent games: the inverse of the negative Hessian alone.
        table = baseball(home=True)
        likelihood = prepared(table, math.inf)
        inverse = Covariance(likelihood, fit(table, prior=math.inf))._inverse
        assert math.sqrt(inverse[-2, -2]) == pytest.approx(BASEBALL["mle_full_precision"]["home_se"], abs=1e-7)
        base = TEAMS.index("Baltimore")
        for team, error in BASEBALL["mle_full_precision"]["with_home_se_vs_Baltimore"].items():
            place = TEAMS.index(team)
            variance = inverse[base, base] + inverse[place, place] - 2 * inverse[base, place]
            assert math.sqrt(variance) == pytest.approx(error, abs=1e-7)

    @given(GAMES)
    @settings(max_examples=examples(60))
    def test_matches_the_explicit_sandwich_for_differences(self, games) -> None:
        table = from_games(games)
        fitted, likelihood = fit(table), prepared(table)
        c = Covariance(likelihood, fitted)
        h = np.linalg.inv(dense(likelihood.derivatives(fitted.theta, fitted.eta, fitted.nu)[1]))
        v = h @ dense(scores(likelihood, fitted.theta, fitted.eta, fitted.nu)) @ h
        matrix = c.matrix() / np.outer(c._widened, c._widened)
        assert c.eta == pytest.approx(v[-2, -2])
        for a, b in itertools.combinations(range(len(fitted.theta)), 2):
            if c.component[a] == c.component[b]:
                expected = v[a, a] + v[b, b] - 2 * v[a, b]
                assert matrix[a, a] + matrix[b, b] - 2 * matrix[a, b] == pytest.approx(expected, rel=1e-6)

    def test_of_a_dense_and_a_sparse_product_is_the_same(self, monkeypatch) -> None:
        table = chain(120, 5)
        sparse = errors(table)
        monkeypatch.setattr(covariance, "_SPARSE", 0.0)
        assert errors(table).variance == pytest.approx(sparse.variance, rel=1e-9)
        assert errors(table).matrix() == pytest.approx(sparse.matrix(), abs=1e-9)

    def test_in_single_precision_errs_by_less_than_a_thousandth(self, monkeypatch) -> None:
        table = chain(400, 7)
        monkeypatch.setattr(covariance, "_DOUBLE", 399)
        single = errors(table)
        monkeypatch.setattr(covariance, "_DOUBLE", 400)
        double = errors(table)
        assert (single._inverse.dtype, double._inverse.dtype) == (np.float32, np.float64)
        assert np.sqrt(single.variance) == pytest.approx(np.sqrt(double.variance), rel=1e-3)

    def test_does_not_shrink_when_games_are_repeated(self) -> None:
        games = [(a, b, score, (a, b, n)) for a in range(6) for b in range(6) if a != b
                 for n, score in enumerate([1.0, 0.5, 0.0, 1.0, 0.0, 0.5, 0.5])]
        once, four = errors(from_games(games)), errors(from_games(games * 4))
        assert four.variance == pytest.approx(once.variance, rel=0.02)
        assert errors(from_games((a, b, s, None) for a, b, s, _ in games * 4)).variance == pytest.approx(
            once.variance / 4, rel=0.02)

    def test_is_never_below_the_posterior_for_a_player_with_only_wins(self) -> None:
        games = [(a, b, s, None) for a in range(4) for b in range(4) if a != b for s in (1.0, 0.0)]
        c = errors(from_games([*games, *[(9, 0, 1.0, None)] * 3]))
        assert c.variance[4] == pytest.approx(float(c._inverse[4, 4]))
        assert c.variance[4] > 20 * c.variance[0]


class TestSeries:
    def test_approximates_the_inverse_with_many_opponents_each(self) -> None:
        dice = np.random.default_rng(3)
        games = [(int(a), int(a + b) % 120, float(s), None) for a, b, s in zip(
            dice.integers(0, 120, 6000), dice.integers(1, 120, 6000), dice.choice([0.0, 0.5, 1.0], 6000), strict=True)]
        table = from_games(games)
        exact, rough = errors(table), errors(table, limit=10)
        assert (exact.exact, rough.exact) == (True, False)
        assert np.sqrt(rough.variance) == pytest.approx(np.sqrt(exact.variance), rel=0.02)

    def test_approximates_the_inverse_on_a_long_chain_of_games(self) -> None:
        table = chain(600, 11)
        exact, rough = errors(table), errors(table, limit=10)
        assert np.sqrt(rough.variance) == pytest.approx(np.sqrt(exact.variance), rel=0.1)


class TestContrastVariance:
    def test_equals_that_of_the_full_matrix(self) -> None:
        table = chain(200, 9)
        fitted, likelihood = fit(table), prepared(table)
        matrix = Covariance(likelihood, fitted).matrix()
        for a, b in ((0, 1), (10, 190), (100, 130)):
            assert contrast_variance(likelihood, fitted, a, b) == pytest.approx(
                matrix[a, a] + matrix[b, b] - 2 * matrix[a, b], rel=1e-6)


@pytest.mark.slow
class TestIntervals:
    # 800 intervals: two standard errors of a share of 95 % are 1.6 %, and players of one ladder are not independent.
    # tests/bench/ratings/coverage.py counts ten thousand of each.
    def test_contain_the_true_value_in_95_of_100_cases(self) -> None:
        for setting in (Setting("draws", 20), Setting("no draws, four copies", 20, nu=0.0, copies=4)):
            shares = measure(setting, 10 * examples(80), seed=1)
            assert 0.925 <= shares["rating"] <= 0.975, setting
            assert 0.925 <= shares["difference"] <= 0.975, setting

    def test_would_be_too_narrow_if_repeated_games_counted_as_new(self) -> None:
        assert naive(Setting("four", 20, copies=4), 5 * examples(80), seed=1) < 0.8
