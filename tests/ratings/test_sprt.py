"""The sequential test compared with the reference's numbers, and its guarantees."""

import json
import math
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ratings.fit.constrained_fit import constrained_fit, moments
from ratings.sprt import Bounds, judge, log_likelihood_ratio, normalized_elo
from tests.effort import examples

PUBLISHED = json.loads((Path(__file__).parent.parent / "data/ratings/sprt_fishtest.json").read_text())
NORMALIZED = [case for case in PUBLISHED["SPRT_elo"] if case["elo_model"] == "normalized"]
PAGES = {page["url"].split("/")[2]: page for page in PUBLISHED["published_pages"]}
ELO_PER_T = 800 / math.log(10)

COUNTS = st.lists(st.one_of(st.just(0), st.integers(0, 9), st.integers(0, 10**7)), min_size=5, max_size=5)
SOME = COUNTS.filter(any)
BOUNDS = st.lists(st.floats(-100, 100), min_size=2, max_size=2, unique=True).map(lambda elo: Bounds(*sorted(elo)))


class TestTheRatio:
    # official-stockfish/fishtest, server/fishtest/stats, LLRcalc.LLR_normalized: five counts of pairs, three of games.
    def test_matches_the_reference_values(self):
        found = [log_likelihood_ratio(case["results"], Bounds(case["elo0"], case["elo1"])) for case in PUBLISHED["LLR"]]
        assert found == pytest.approx([case["normalized"] for case in PUBLISHED["LLR"]], abs=1e-6)

    def test_matches_the_output_of_the_references_sprt(self):
        for case in NORMALIZED:
            bounds, out = Bounds(case["elo0"], case["elo1"], case["alpha"], case["beta"]), case["out"]
            found = judge(case["results"]["pentanomial"], bounds)
            assert (found.llr, found.lower, found.upper) == pytest.approx((out["LLR"], out["a"], out["b"]), abs=1e-6)

    def test_matches_published_pages(self):
        # https://montytest.muzhen.org/tests/stats/69d3c8dc7c5b3724e29d2712: "Normalized (exact)" and "Normalized Elo".
        found = judge([13, 37, 50, 25, 3], Bounds(0, 4))
        assert f"{found.llr:.5f}" == "-0.54912"
        assert f"{found.normalized:.2f}" == "-63.97"
        page = PAGES["byte-knight"]
        assert f"{judge(page['penta'], Bounds(*page['bounds'])).llr:.2f}" == "3.00"

    def test_is_zero_without_pairs(self):
        assert log_likelihood_ratio([0] * 5, Bounds(0, 5)) == 0

    @given(SOME, BOUNDS)
    def test_changes_sign_with_the_sides(self, counts, bounds):
        there = log_likelihood_ratio(counts[::-1], Bounds(-bounds.elo1, -bounds.elo0))
        here = log_likelihood_ratio(counts, bounds)
        assert there == pytest.approx(-here, rel=1e-6, abs=1e-6 + 1e-9 * sum(counts))

    # Twenty pairs won 2–0 are strong evidence, although four of the five results have not occurred.
    def test_is_informative_if_all_pairs_scored_the_same(self):
        for counts, sign in (([0, 0, 0, 0, 20], 1), ([20, 0, 0, 0, 0], -1), ([0, 0, 0, 20, 0], 1)):
            assert sign * log_likelihood_ratio(counts, Bounds(0, 30)) > 0


class TestTheConstrainedFit:
    @given(SOME, st.floats(-0.4, 0.4))
    @example([0, 2, 18292, 1, 176], -0.19)
    @example([927, 0, 0, 0, 0], 0.00066)
    def test_has_the_t_value_for_any_observations(self, counts, t):
        shares = [(count or 1e-3) / sum(count or 1e-3 for count in counts) for count in counts]
        found = constrained_fit(shares, t)
        mean, variance = moments(found)
        assert min(found) > 0
        assert sum(found) == pytest.approx(1)
        assert (mean - 0.5) / math.sqrt(variance) == pytest.approx(t, abs=1e-7)

    def test_equals_the_observations_if_they_have_the_t_value(self):
        shares = [0.1, 0.2, 0.3, 0.25, 0.15]
        mean, variance = moments(shares)
        assert constrained_fit(shares, (mean - 0.5) / math.sqrt(variance)) == pytest.approx(shares)

    def test_is_more_likely_than_other_distributions_with_the_t_value(self):
        shares, t, rng = [0.1, 0.2, 0.4, 0.2, 0.1], 0.2, Random(1)
        best = sum(share * math.log(p) for share, p in zip(shares, constrained_fit(shares, t), strict=True))
        for _ in range(100):
            # The constrained fits of other shares also have the t-value.
            raw = [share * rng.uniform(0.5, 2) for share in shares]
            other = constrained_fit([each / sum(raw) for each in raw], t)
            assert sum(share * math.log(p) for share, p in zip(shares, other, strict=True)) <= best + 1e-12


class TestTheVerdict:
    # fishtest's get_elo: Elo, half of its 95 % interval, likelihood of superiority.
    def test_matches_the_references_elo_and_interval(self):
        cases = [case for case in PUBLISHED["get_elo"] if len(case["results_low_to_high"]) == 5]
        assert cases
        for case in cases:
            found = judge(case["results_low_to_high"], Bounds(0, 5))
            assert (found.elo, (found.high - found.low) / 2, found.superiority) == pytest.approx(
                case["elo_ci95_los"], abs=1e-6)

    def test_matches_the_elo_and_normalized_elo_that_reckless_published(self):
        for row in PAGES["Reckless"]["rows"]:
            found = judge(row["ptnml"], Bounds(0, 5))
            assert f"{found.elo:.2f} {found.normalized:.2f}" == f"{row['elo']:.2f} {row['nelo']:.2f}"

    def test_ends_at_walds_bounds(self):
        counts = [19, 120, 346, 223, 28]
        assert judge(counts, Bounds(-5, 0)).state == "passed"
        assert judge(counts[::-1], Bounds(0, 5)).state == "failed"
        assert judge(counts, Bounds(-5, 0, alpha=0.01)).state == "running"

    def test_counts_pairs_and_games(self):
        found = judge([1, 2, 3, 4, 5], Bounds(0, 5))
        assert (found.pairs, found.games) == (15, 30)

    def test_is_undecided_without_pairs(self):
        found = judge([0] * 5, Bounds(0, 5))
        assert (found.llr, found.state, found.elo, found.superiority, found.normalized) == (0, "running", 0, 0.5, 0)
        assert found.low < -1199
        assert found.high > 1199

    def test_is_cautious_if_all_pairs_scored_the_same(self):
        # Clopper & Pearson: after one result its probability may be 2.5 %; Laplace: 3 : 1 that it is the likelier one.
        found = judge([0, 0, 0, 0, 1], Bounds(0, 5))
        assert found.low == pytest.approx(400 * math.log10(0.025 / 0.975))
        assert found.superiority == 0.75
        level = judge([0, 0, 40, 0, 0], Bounds(0, 5))
        assert level.elo == 0
        assert level.low == pytest.approx(-level.high)
        assert level.superiority == 0.5

    @given(COUNTS, BOUNDS)
    def test_returns_finite_numbers_for_all_counts(self, counts, bounds):
        found = judge(counts, bounds)
        assert all(map(math.isfinite, (found.llr, found.elo, found.low, found.high, found.normalized)))
        assert found.low <= found.elo <= found.high
        assert 0 <= found.superiority <= 1
        assert normalized_elo(counts[::-1]) == pytest.approx(-found.normalized, rel=1e-6, abs=1e-6)

    def test_is_refused_for_invalid_counts(self):
        for counts in ([1, 2, 3], [1, 2, 3, 4, -1], [1, 2, 3, 4, 0.5]):
            with pytest.raises(ValueError, match="five counts"):
                judge(counts, Bounds(0, 5))


class TestBounds:
    def test_match_walds(self):
        assert [Bounds(0, 5).lower, Bounds(0, 5).upper] == pytest.approx(PUBLISHED["bounds_alpha_beta_0_05"], abs=1e-6)
        other = Bounds(0, 5, alpha=0.01, beta=0.1)
        assert (other.lower, other.upper) == pytest.approx((math.log(0.1 / 0.99), math.log(90)))

    def test_refuse_invalid_values(self):
        for bounds, why in (
                ((5, 0), "below"), ((5, 5), "below"), ((0, 101), "cannot be tested"),
                ((math.nan, 5), "cannot be tested"), ((0, math.inf), "cannot be tested"), ((0, 5, 0), "risk"),
                ((0, 5, 0.5), "risk"),
                ((0, 5, 0.05, math.nan), "risk")):
            with pytest.raises(ValueError, match=why):
                Bounds(*bounds)


@pytest.mark.slow
def test_the_risks_are_at_most_the_promised_ones():
    """A short version of tests/bench/ratings/sprt.py: at most 5.5 % where 5 % is promised."""
    bounds, runs = Bounds(0, 100), examples(200)
    for worth in (0, 100):
        rng = Random(5)
        shares = constrained_fit([0.24, 0.02, 0.48, 0.02, 0.24], worth * math.sqrt(2) / ELO_PER_T)
        wrong = 0
        for _ in range(runs):
            counts = [0] * 5
            while bounds.lower < (ratio := log_likelihood_ratio(counts, bounds)) < bounds.upper:
                counts[rng.choices(range(5), shares)[0]] += 1
            wrong += (ratio > 0) != (worth == 100)
        # A few runs show only gross errors.
        assert wrong <= max(2, 0.055 * runs)
