"""Glicko-2 compared with published numbers, and properties for any games."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.glicko2 import (
    INITIAL_DEVIATION,
    Player,
    expected_score,
    idle,
    next_volatility,
    rate,
    rate_period,
    weight,
)

PUBLISHED = json.loads((Path(__file__).parent.parent / "data/ratings/glicko2.json").read_text())
PLAYER = Player(*(PUBLISHED["player"][key] for key in ("r", "rd", "vol")))
OPPONENTS = [(Player(game["r"], game["rd"]), game["score"]) for game in PUBLISHED["opponents"]]
SCALE = 173.7178

PLAYERS = st.builds(Player, rating=st.floats(-1e5, 1e5), deviation=st.floats(1, 500), volatility=st.floats(0.01, 1))
SCORES = st.sampled_from([0.0, 0.5, 1.0])


class TestGlickmansExample:
    """M. E. Glickman, "Example of the Glicko-2 system", 2013, pages 4 to 6."""

    def test_matches_the_printed_weights_and_expectations(self):
        for (opponent, _), (g, expected) in zip(OPPONENTS, PUBLISHED["glicko1_g_E"], strict=True):
            assert f"{weight(opponent.deviation):.4f}" == f"{g:.4f}"
            assert f"{expected_score(PLAYER, opponent):.3f}" == f"{expected:.3f}"

    def test_matches_the_printed_steps_with_the_printed_rounding(self):
        # The paper continues with its rounded numbers: v = 1.7785, Δ = −0.4834, σ′ = 0.05999, φ* = 1.152862,
        # φ′ = 0.8722, μ′ = −0.2069, and from these r′ = 1464.06.
        rows = [(g, e, score) for (g, e), (_, score) in zip(PUBLISHED["glicko1_g_E"], OPPONENTS, strict=True)]
        v = round(1 / sum(g * g * e * (1 - e) for g, e, _ in rows), 4)
        surprise = round(sum(g * (score - e) for g, e, score in rows), 3)
        delta = round(v * sum(g * (score - e) for g, e, score in rows), 4)
        assert (v, delta, surprise) == (1.7785, -0.4834, -0.272)
        volatility = next_volatility(0.06, 1.1513, v, delta, 0.5)
        # Truncated, not rounded: the paper's ln σ′² = −5.62696 is σ′ = 0.059996.
        assert f"{2 * math.log(volatility):.4f}" == "-5.6270"
        assert math.floor(1e5 * volatility) / 1e5 == PUBLISHED["published"]["vol"] == 0.05999
        before = round(math.hypot(1.1513, volatility), 6)
        assert before == 1.152862
        phi = round(1 / math.sqrt(1 / before**2 + 1 / v), 4)
        mu = round(phi * phi * surprise, 4)
        assert (phi, mu) == (0.8722, -0.2069)
        assert round(SCALE * mu + 1500, 2) == PUBLISHED["published"]["r"] == 1464.06
        assert round(SCALE * phi, 2) == PUBLISHED["published"]["rd"] == 151.52

    def test_matches_the_result_without_that_rounding(self):
        after, published = rate(PLAYER, OPPONENTS, PUBLISHED["tau"]), PUBLISHED["full_precision"]
        assert (round(after.rating, 4), round(after.deviation, 4), round(after.volatility, 6)) == (
            published["r"], published["rd"], published["vol"])


class TestRate:
    # lichess-org/scalachess, test-kit RatingCalculatorTest.scala. There τ is 0.75 and no time has passed.
    def test_matches_the_numbers_in_lichess_tests(self):
        for case in PUBLISHED["lichess_scalachess_cases"]["rows"]:
            white, black = Player(*case["white"]), Player(*case["black"])
            score = {"1-0": 1.0, "1/2": 0.5, "0-1": 0.0}[case["result"]]
            for one, other, points, wanted in ((white, black, score, case["w"]), (black, white, 1 - score, case["b"])):
                after = rate(one, [(other, points)], tau=0.75, elapsed=0)
                assert (after.rating, after.deviation) == pytest.approx(wanted[:2], abs=case["tol"]), case
                assert after.volatility == pytest.approx(wanted[2], abs=1e-5), case

    @given(PLAYERS, st.lists(st.tuples(PLAYERS, SCORES), min_size=1, max_size=20))
    def test_returns_finite_numbers_for_every_player_and_result(self, player, games):
        after = rate(player, games)
        assert all(map(math.isfinite, (after.rating, after.deviation, after.volatility)))
        assert after.deviation > 0
        assert after.volatility > 0

    @given(PLAYERS, st.lists(st.tuples(PLAYERS, SCORES), max_size=10), st.floats(-1000, 1000))
    def test_depends_only_on_differences(self, player, games, shift):
        def shifted(one):
            return Player(one.rating + shift, one.deviation, one.volatility)
        there = rate(shifted(player), [(shifted(other), score) for other, score in games])
        assert there.rating - shift == pytest.approx(rate(player, games).rating, rel=1e-9, abs=1e-3)

    def test_moves_two_newcomers_by_the_same_amount(self):
        after = rate_period([Player(), Player()], [(0, 1, 1.0)])
        assert after[0].rating - 1500 == pytest.approx(1500 - after[1].rating)
        assert after[0].deviation == after[1].deviation < INITIAL_DEVIATION

    def test_treats_a_player_without_games_as_idle(self):
        assert rate(PLAYER, []) == idle(PLAYER, 1)
        assert rate_period([Player(), Player(), PLAYER], [(0, 1, 0.5)]).keys() == {0, 1}


class TestIdle:
    def test_widens_the_deviation_by_the_volatility(self):
        assert idle(PLAYER, 1).deviation == pytest.approx(SCALE * math.hypot(200 / SCALE, 0.06))

    def test_is_the_same_period_by_period(self):
        assert idle(idle(PLAYER, 3), 4).deviation == pytest.approx(idle(PLAYER, 7).deviation)

    def test_ends_at_a_newcomers_deviation(self):
        assert idle(PLAYER, 10**9).deviation == INITIAL_DEVIATION
        assert idle(Player(deviation=500), 10).deviation == 500
