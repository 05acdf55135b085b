"""Looks, targets, batches and savings of precision events: published values, and small cases computed by hand."""

import numpy as np
import pytest

from ratings import Z95
from ratings.precision import batches, looks, savings, targets
from ratings.precision.state import Met, state_of


class TestTheLimitOfARepeatedLook:
    def test_is_that_of_jennison_and_turnbull(self):
        limits = [looks.equal_steps(number) for number in (1, 2, 3, 4, 5, 10)]
        assert limits == pytest.approx([1.960, 2.178, 2.289, 2.361, 2.413, 2.555], abs=6e-4)

    def test_grows_with_the_number_of_looks_and_their_distance(self):
        assert looks.limit_of(1, 1.5) < looks.limit_of(3, 1.5) < looks.limit_of(3, 3.0) < looks.limit_of(5, 3.0)

    def test_refuses_information_that_does_not_grow(self):
        with pytest.raises(ValueError, match="a growth above 1, not 5 and"):
            looks.limit_of(5, 1.0)


class TestATarget:
    RATINGS = np.array([100.0, 0.0, -20.0, -80.0])
    COVARIANCE = np.diag([100.0, 100.0, 100.0, 400.0])

    def test_of_first_places_separates_each_from_the_next_and_the_last_from_the_rest(self):
        assert list(zip(*np.nonzero(targets.boundaries(self.RATINGS, 2)), strict=True)) == [(0, 1), (1, 2), (1, 3)]

    def test_of_first_places_is_as_far_as_its_weakest_separation(self):
        short = targets.shortfall(targets.FIRST, 2, self.RATINGS, self.COVARIANCE, 2.0)
        assert short == pytest.approx(4.0 * 200.0 / 20.0**2)
        assert targets.met(targets.FIRST, 2, self.RATINGS, self.COVARIANCE, 2.0) == [True, False, False, True]

    def test_of_ratings_is_as_far_as_its_widest_interval(self):
        short = targets.shortfall(targets.RATINGS, 30.0, self.RATINGS, self.COVARIANCE, 0.0)
        assert short == pytest.approx((targets.SHOWN_RATINGS * 20.0 / 30.0) ** 2)
        assert targets.met(targets.RATINGS, 30.0, self.RATINGS, self.COVARIANCE, 0.0) == [True, True, True, False]

    def test_shows_intervals_at_least_as_wide_as_without_repeated_looks(self):
        assert targets.width(targets.FIRST) > targets.width(targets.RATINGS) > Z95


class TestABatch:
    def test_prefers_the_pair_whose_boundary_is_open(self):
        criterion = targets.criterion(targets.FIRST, 1, TestATarget.RATINGS, 100.0 * np.eye(4), 2.0)
        gain = batches.gains(100.0 * np.eye(4), criterion, np.ones(6))
        assert int(gain.argmax()) == 0

    def test_equals_the_exact_change_of_the_criterion_to_first_order(self):
        gain = batches.gains(np.eye(3), np.diag([1.0, 0.0, 0.0]), np.full(3, 1e-6))
        h = np.eye(3) + 1e-6 * np.outer([1, -1, 0], [1, -1, 0])
        assert gain[0] == pytest.approx(1.0 - np.linalg.inv(h)[0, 0], rel=1e-4)

    def test_gives_every_pair_a_share_of_a_quarter(self):
        share = batches.expected(np.array([1.0, 0.0, 0.0, 0.0]), np.ones(4), 16.0)
        assert share.tolist() == [13.0, 1.0, 1.0, 1.0]

    def test_is_sampled_to_its_size_within_one_match_per_pair(self):
        expectation = batches.expected(np.arange(45.0), np.ones(45), 77.0)
        for start in (0.0, 0.3, 0.999):
            counts = batches.sampled(expectation, start)
            assert counts.sum() == 77
            assert np.abs(counts - expectation).max() < 1.0

    def test_alternates_the_first_seat_of_a_pair(self):
        low, high = batches.pairs_of(3)
        listed = batches.spread(np.array([4, 0, 1]), low, high)
        assert len(listed) == 5
        assert [listed.count(pair) for pair in ((0, 1), (1, 0))] == [2, 2]


class TestTheState:
    def test_has_the_covariance_of_equals_in_a_round_robin(self):
        """Equals without draws: a match has the information ½ · (ln 10 / 400)²."""
        met = [Met(a, b, scores, f"{cycle} {scores}") for cycle in range(50) for a in range(4) for b in range(a)
               for scores in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0))]
        state = state_of(4, met)
        assert state is not None
        assert np.abs(state.ratings).max() < 1e-6
        per_match = 0.5 * (np.log(10.0) / 400.0) ** 2
        assert state.information == pytest.approx(np.full(6, per_match))
        # The spread that is learned from equals makes their ratings more certain than their games alone do.
        games_alone = 3 / 16 / per_match / 200
        variance = np.diagonal(state.covariance)
        assert ((0.05 * games_alone < variance) & (variance < games_alone)).all()
        games = savings.round_robin_games(targets.RATINGS, 20, state.ratings, state.core, state.information)
        assert games > len(met) * 2

    def test_is_unknown_while_entrants_are_not_connected(self):
        assert state_of(4, [Met(0, 1, (1.0, 0.0), ""), Met(2, 3, (1.0, 0.0), "")]) is None
        assert state_of(3, [Met(0, 1, (1.0, 0.0), "")]) is None
