"""The fit compared with published numbers, and its guarantees."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.fit.davidson import ELO, FLAT, Fit
from ratings.fit.davidson import fit as fit_prepared
from ratings.fit.estimate import prior_of
from ratings.fit.likelihood import Likelihood, Prior
from ratings.fit.pairs import PairTable, from_games
from ratings.fit.solver import Solver
from tests.effort import examples

DATA = Path(__file__).parent.parent / "data/ratings"
BASEBALL = json.loads((DATA / "bt_home_advantage_baseball.json").read_text())
PUDDING = json.loads((DATA / "davidson_ties_pudding.json").read_text())
CITATIONS = json.loads((DATA / "bt_citations.json").read_text())
TEAMS = sorted({pair[0] for pair in BASEBALL["pairs"]})

PLAYERS = st.integers(1, 7)
GAMES = st.lists(st.tuples(PLAYERS, PLAYERS, st.sampled_from([1.0, 0.5, 0.0]), st.none()).filter(
    lambda game: game[0] != game[1]), min_size=1, max_size=40)


USUAL = prior_of(350.0, 0.0)


def prepared(table: PairTable, prior: Prior = USUAL) -> Likelihood:
    """Return the likelihood of a table, by default with the prior of a ladder without draws."""
    return Likelihood(table, prior)


def fit(table: PairTable, *, start: Fit | None = None, prior: Prior = USUAL) -> Fit:
    """Return the fit of a table."""
    return fit_prepared(prepared(table, prior), start=start)


def games(rows: list, *, from_both_seats: bool) -> PairTable:
    """Return a table of rows (first, second, wins, draws, losses); from both seats, each game counts once per seat."""
    played = []
    for first, second, *results in rows:
        for score, times in zip((1.0, 0.5, 0.0), results, strict=True):
            played += [(first, second, score, None)] * times
            played += [(second, first, 1.0 - score, None)] * times if from_both_seats else []
    return from_games(played)


def baseball(*, home: bool) -> PairTable:
    return games(
        [[TEAMS.index(a), TEAMS.index(b), *rest] for a, b, *rest in BASEBALL["pairs"]], from_both_seats=not home)


def chain(players: int, seed: int) -> PairTable:
    """Return a long ladder whose players meet only their neighbours, some of them often."""
    dice = np.random.default_rng(seed)
    theta = np.sort(dice.normal(0.0, 2.0, players))
    played = []
    for low in range(players):
        for high in range(low + 1, min(low + 6, players)):
            for _ in range(3):
                first, second = (low, high) if dice.random() < 0.5 else (high, low)
                draw, win = 0.3, 0.7 / (1.0 + math.exp(theta[second] - theta[first]))
                throw = dice.random()
                played.append((first, second, 0.5 if throw < draw else 1.0 if throw < draw + win else 0.0, None))
    return from_games(played)


def same(one: Fit, other: Fit) -> bool:
    return np.array_equal(one.theta, other.theta) and (one.eta, one.nu) == (other.eta, other.nu)


class TestFit:
    def test_matches_agrestis_baseball_table_without_home_advantage(self) -> None:
        theta = fit(baseball(home=False), prior=FLAT).theta
        published = BASEBALL["published"]["model1_no_home_sorted_logworth_vs_Baltimore"]
        assert sorted(np.round(theta - theta[TEAMS.index("Baltimore")], 2))[1:] == published

    def test_matches_agrestis_baseball_table_with_home_advantage(self) -> None:
        fitted = fit(baseball(home=True), prior=FLAT)
        worth = np.exp(fitted.theta) / np.exp(fitted.theta).sum()
        assert round(fitted.eta, 3) == BASEBALL["published"]["model2_home_advantage_log"]
        assert sorted(np.round(worth, 3)) == BASEBALL["published"]["model2_sorted_worth_sum1"]

    def test_matches_another_programs_fit_to_seven_digits(self) -> None:
        for home, name in ((False, "no_home"), (True, "with_home")):
            theta = fit(baseball(home=home), prior=FLAT).theta
            for team, value in BASEBALL["mle_full_precision"][name].items():
                assert theta[TEAMS.index(team)] - theta[TEAMS.index("Baltimore")] == pytest.approx(value, abs=2e-7)

    def test_matches_davidsons_pudding_example(self) -> None:
        fitted = fit(games(PUDDING["pairs"], from_both_seats=True), prior=FLAT)
        worth = np.exp(fitted.theta) / np.exp(fitted.theta).sum()
        assert worth == pytest.approx(PUDDING["mle_converged"]["worth"], abs=2e-7)
        assert fitted.nu == pytest.approx(PUDDING["mle_converged"]["nu"], abs=1e-6)
        # The paper stopped after seven iterations; all but its last digits agree.
        assert worth == pytest.approx(PUDDING["published"]["worth"], abs=3e-5)
        assert fitted.nu == pytest.approx(PUDDING["published"]["tie_nu"], abs=1e-5)

    def test_matches_stiglers_citation_example(self) -> None:
        cited = CITATIONS["cited_by"]
        rows = [[i, j, cited[i][j], 0, cited[j][i]] for i in range(4) for j in range(i)]
        theta = fit(games(rows, from_both_seats=True), prior=FLAT).theta
        assert list(np.round(theta - theta[0], 4))[1:] == CITATIONS["published"]["log_worth_vs_Biometrika"]

    @given(GAMES, GAMES)
    @settings(max_examples=examples(60) // 2)
    def test_is_bitwise_identical_from_any_start(self, before, played) -> None:
        table = from_games(played)
        cold = fit(table)
        assert cold.converged
        assert same(cold, fit(table, start=fit(from_games(before))))
        assert same(cold, fit(table, start=cold))

    def test_is_bitwise_identical_on_a_long_chain(self) -> None:
        table = chain(300, 1)
        cold = fit(table)
        assert cold.converged
        assert same(cold, fit(table, start=fit(chain(250, 2))))

    @given(GAMES)
    @settings(max_examples=examples(60))
    def test_has_a_vanishing_gradient(self, played) -> None:
        table = from_games(played)
        fitted = fit(table)
        gradient = prepared(table).gradient(fitted.theta, fitted.eta, fitted.nu)
        assert np.abs(gradient).max() < 1e-5

    def test_is_bounded_for_a_player_with_only_wins(self) -> None:
        fitted = fit(from_games([(1, 2, 1.0, None), (2, 1, 0.0, None)] * 1000))
        assert fitted.converged
        assert 1000 < fitted.scale * (fitted.theta[0] - fitted.theta[1]) < 2500

    def test_omits_the_draw_parameter_without_draws(self) -> None:
        assert fit(from_games([(1, 2, 1.0, None), (1, 2, 0.0, None)])).nu == 0.0

    def test_is_bounded_with_only_draws(self) -> None:
        fitted = fit(from_games([(1, 2, 0.5, None)] * 50))
        assert fitted.converged
        assert 10 < fitted.nu < 1e6

    def test_of_no_games_is_empty(self) -> None:
        fitted = fit(from_games([]))
        assert (len(fitted.theta), fitted.eta, fitted.nu, fitted.converged) == (0, 0.0, 0.0, True)

    def test_scales_elo_to_the_logistic_slope_between_equals(self) -> None:
        fitted = Fit(np.array([1, 2]), np.zeros(2), 0.0, 0.8, 1, converged=True)
        x = 0.01 / fitted.scale  # natural units equal to a hundredth of an Elo
        weights = math.exp(x / 2), 0.8, math.exp(-x / 2)
        score = (weights[0] + 0.5 * weights[1]) / sum(weights)
        assert (score - 0.5) / 0.01 == pytest.approx(math.log(10) / 1600, rel=1e-6)


class TestLikelihood:
    @given(GAMES, st.floats(-1, 1), st.floats(0.1, 3))
    @settings(max_examples=examples(40))
    def test_has_the_derivatives_of_davidsons_formula(self, played, eta, nu) -> None:
        table = from_games(played)
        theta = np.linspace(-1.0, 1.5, len(table.players))
        likelihood = Likelihood(table, Prior(0.01, 0.01, 0.0))

        def log_posterior(at: np.ndarray) -> float:
            places = {player: place for place, player in enumerate(table.players)}
            total = -0.005 * float(at[:-1] @ at[:-1])
            for first, second, score, _ in played:
                x = at[places[first]] - at[places[second]] + at[-2]
                drawn = math.exp(at[-1])
                parts = {1.0: math.exp(x / 2), 0.5: drawn, 0.0: math.exp(-x / 2)}
                total += math.log(parts[score] / sum(parts.values()))
            return total

        at = np.concatenate([theta, [eta, math.log(nu)]])
        gradient, curvature = likelihood.derivatives(theta, eta, nu)
        if not likelihood.draws:
            return
        steps = 1e-5 * np.eye(len(at))
        numeric = [(log_posterior(at + step) - log_posterior(at - step)) / 2e-5 for step in steps]
        assert gradient == pytest.approx(numeric, abs=1e-6)
        assert likelihood.gradient(theta, eta, nu) == pytest.approx(gradient, abs=1e-10)

        def slopes(at: np.ndarray) -> np.ndarray:
            return likelihood.gradient(at[:-2], at[-2], math.exp(at[-1]))

        for unit, step in zip(np.eye(len(at)), steps, strict=True):
            assert -curvature.times(unit) == pytest.approx((slopes(at + step) - slopes(at - step)) / 2e-5, abs=1e-6)


class TestSolver:
    def test_inverts_a_multiplication(self) -> None:
        for players in (3, 100, 400):
            likelihood = prepared(chain(players, 3))
            _, curvature = likelihood.derivatives(np.linspace(-1.0, 1.0, players), 0.1, 0.5)
            x = np.random.default_rng(0).normal(size=players + 2)
            solved = Solver(likelihood, curvature).solve(curvature.times(x), 1e-10)
            assert solved == pytest.approx(x, abs=1e-6)

    def test_converts_natural_units(self) -> None:
        assert pytest.approx(173.7177927613007) == ELO
