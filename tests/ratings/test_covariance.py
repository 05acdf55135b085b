"""Standard errors compared with explicit matrices and published errors; the simulation's batch with the product."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.fit import clusters, covariance
from ratings.fit.covariance import Covariance, contrast_variance
from ratings.fit.davidson import FLAT, fit
from ratings.fit.estimate import Estimated, estimate
from ratings.fit.likelihood import Likelihood
from ratings.fit.pairs import PairTable, from_games
from ratings.fit.spread import Spread
from tests.effort import examples
from tests.ratings.test_davidson import BASEBALL, TEAMS, baseball, chain

PLAYERS = st.integers(1, 6)
GAMES = st.lists(
    st.tuples(PLAYERS, PLAYERS, st.sampled_from([1.0, 0.5, 0.0]), st.sampled_from([None, "a", "b"])).filter(
        lambda game: game[0] != game[1]), min_size=1, max_size=40)


def dense(curvature) -> np.ndarray:
    return np.array([curvature.times(unit) for unit in np.eye(len(curvature.diagonal))])


def errors(table: PairTable, **limits) -> Covariance:
    return Covariance(estimate(table), **limits)


def by_cluster(games: list, means: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """Return Σ s² of each pair over its clusters, game by game."""
    found: dict[object, float] = {}
    for number, (first, second, score, opening) in enumerate(games):
        low, high = min(first, second), max(first, second)
        slope = score - 0.5 - means[first, second]
        key = (low, high, opening or number)
        found[key] = found.get(key, 0.0) + (slope if first == low else -slope)
    total: dict[tuple[int, int], float] = {}
    for (low, high, _), score in found.items():
        total[low, high] = total.get((low, high), 0.0) + score**2
    return total


class TestSquares:
    @given(GAMES)
    @settings(max_examples=examples(60))
    def test_match_an_explicit_sum_over_clusters(self, games) -> None:
        table = from_games(games)
        pairs = [(int(table.players[a]), int(table.players[b])) for a, b in zip(table.low, table.high, strict=True)]
        mean, other = np.linspace(-0.4, 0.3, len(pairs)), np.linspace(0.2, -0.1, len(pairs))
        means = dict(zip(pairs, mean, strict=True)) | {(b, a): m for (a, b), m in zip(pairs, other, strict=True)}
        written = by_cluster(games, means)
        moments = None if table.alone else table.moments
        assert clusters.squares(table.counts, moments, mean, other) == pytest.approx([written[pair] for pair in pairs])


class TestCovariance:
    def test_has_the_standard_errors_published_for_baseball(self) -> None:
        likelihood = Likelihood(baseball(home=True), FLAT)
        inverse = Covariance(Estimated(likelihood.table, likelihood, fit(likelihood), Spread(0.0, 0.0)))._inverse
        assert math.sqrt(inverse[-2, -2]) == pytest.approx(BASEBALL["mle_full_precision"]["home_se"], abs=1e-7)
        base = TEAMS.index("Baltimore")
        for team, error in BASEBALL["mle_full_precision"]["with_home_se_vs_Baltimore"].items():
            place = TEAMS.index(team)
            variance = inverse[base, base] + inverse[place, place] - 2 * inverse[base, place]
            assert math.sqrt(variance) == pytest.approx(error, abs=1e-7)

    @given(GAMES)
    @settings(max_examples=examples(60))
    def test_matches_the_explicit_posterior_for_differences(self, games) -> None:
        estimated = estimate(from_games(games))
        fitted, c = estimated.fit, Covariance(estimated)
        h = np.linalg.inv(dense(estimated.likelihood.derivatives(fitted.theta, fitted.eta, fitted.nu)[1]))
        pull = np.append(2.0 * estimated.likelihood.prior.rating * fitted.theta, [0.0, 0.0])
        v = h + estimated.spread.variance * np.outer(h @ pull, h @ pull)
        matrix = c.matrix()
        assert c.eta == pytest.approx(v[-2, -2], rel=1e-6)
        for a, b in itertools.combinations(range(len(fitted.theta)), 2):
            if c.component[a] == c.component[b]:
                expected = v[a, a] + v[b, b] - 2 * v[a, b]
                assert matrix[a, a] + matrix[b, b] - 2 * matrix[a, b] == pytest.approx(expected, rel=1e-6)

    def test_in_single_precision_errs_by_less_than_a_thousandth(self, monkeypatch) -> None:
        estimated = estimate(chain(400, 7))
        monkeypatch.setattr(covariance, "_DOUBLE", 399)
        single = Covariance(estimated)
        monkeypatch.setattr(covariance, "_DOUBLE", 400)
        double = Covariance(estimated)
        assert (single._inverse.dtype, double._inverse.dtype) == (np.float32, np.float64)
        assert np.sqrt(single.variance) == pytest.approx(np.sqrt(double.variance), rel=1e-3)

    def test_does_not_shrink_when_games_are_repeated(self) -> None:
        games = [(a, b, score, (a, b, n)) for a in range(6) for b in range(6) if a != b
                 for n, score in enumerate([1.0, 0.5, 0.0, 1.0, 0.0, 0.5, 0.5])]
        once, four = errors(from_games(games)), errors(from_games(games * 4))
        assert four.variance == pytest.approx(once.variance, rel=0.1)
        new = errors(from_games((a, b, s, None) for a, b, s, _ in games * 4))
        assert (new.variance < 0.4 * once.variance).all()

    def test_of_one_opening_is_as_without_openings_if_the_games_differ(self) -> None:
        dice = np.random.default_rng(1)
        games = [(int(a), int(b), float(dice.integers(0, 2)), None) for a in range(3) for b in range(3) if a != b
                 for _ in range(50)]
        apart, together = errors(from_games(games)), errors(from_games((*game[:3], "") for game in games))
        assert (together.variance >= apart.variance * 0.99).all()
        assert (together.variance < apart.variance * 2.0).all()


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
        estimated = estimate(chain(200, 9))
        matrix = Covariance(estimated).matrix()
        for a, b in ((0, 1), (10, 190), (100, 130)):
            assert contrast_variance(estimated, a, b) == pytest.approx(
                matrix[a, a] + matrix[b, b] - 2 * matrix[a, b], rel=1e-4)
