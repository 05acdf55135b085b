"""The arithmetic of a trial."""

import math
from itertools import count

import pytest

from ratings.elo import expected_score
from ratings.sprt import Bounds
from tournaments.scoring.repeats import REPEATS_IN_ROW
from tournaments.scoring.trial import LEAST_GAMES, Neighbourhood, Pair, TrialRun, Visit, nearest, predict, schedule

BOUNDS = Bounds(0, 100)
EVEN = predict(0, 0.0, 0.0)


def pairs(*half_points: int, repeated: bool = False):
    numbers = count()
    return [Pair(points, "same" if repeated else str(next(numbers))) for points in half_points]


def course(*matches, most_pairs=400, bounds=BOUNDS):
    made = TrialRun(bounds, most_pairs=most_pairs)
    made.take(matches)
    return made


class TestTrialRun:
    def test_ends_where_the_ratio_first_reaches_a_bound(self):
        made = course(*pairs(*[4] * 40), *pairs(*[0] * 400))
        assert (made.state, made.pairs) == ("passed", len(made.ratios))
        assert made.llr >= BOUNDS.upper
        assert all(ratio < BOUNDS.upper for ratio in made.ratios[:-1])
        assert course(*pairs(*[1] * 60)).state == "failed"

    def test_ends_without_a_verdict_after_its_pairs(self):
        assert course(*pairs(2, 3, 1), most_pairs=3).state == "inconclusive"
        assert course(*pairs(2, 3), most_pairs=3).state == "running"

    def test_counts_identical_pairs_once(self):
        made = course(*pairs(4, 4, 4, repeated=True), Pair(3, "other"))
        assert (made.pentanomial, made.pairs, made.repeats) == ([0, 0, 0, 1, 1], 4, 2)

    def test_ends_when_all_new_pairs_are_repeats(self):
        made = course(*pairs(*[4] * 400, repeated=True))
        assert (made.state, made.pairs) == ("inconclusive", REPEATS_IN_ROW + 1)
        assert made.repeats_itself


class TestTheNeighbourhood:
    def test_fails_a_candidate_that_beats_only_its_predecessor(self):
        visits = [Visit(0, bot, EVEN) for bot in range(10)]
        made = course(*visits, *pairs(*[4] * 40))
        assert made.state == "failed"
        assert made.llr >= BOUNDS.upper
        assert made.neighbourhood.is_too_strong

    def test_passes_a_candidate_that_scores_as_predicted(self):
        assert course(*(Visit(2, bot, EVEN) for bot in range(10)), *pairs(*[4] * 40)).state == "passed"

    def test_is_checked_only_after_the_test_and_with_enough_games(self):
        assert course(*(Visit(0, bot, EVEN) for bot in range(100))).state == "running"
        near = Neighbourhood()
        for bot in range(LEAST_GAMES // 2 - 1):
            near.add(Visit(0, bot, EVEN))
        assert not near.is_too_strong

    def test_has_a_wider_margin_if_the_ratings_are_uncertain(self):
        sure, unsure = Neighbourhood(), Neighbourhood()
        for bot in range(10):
            sure.add(Visit(0, bot, EVEN))
            unsure.add(Visit(0, bot, predict(0, math.inf, math.inf)))
        assert unsure.margin > 2 * sure.margin
        # The error of the candidate's rating is the same in all 20 games: ¼ · ln 10 / 400 · 350 Elo each.
        assert unsure.margin > 1.96 * 20 * 0.25 * 0.005756 * 350

    def test_has_the_binomial_margin_if_the_ratings_are_certain(self):
        near = Neighbourhood()
        for _ in range(50):
            near.add(Visit(2, 1, EVEN))
        least = 30 * 0.25 * 0.0057565
        assert near.margin == pytest.approx(1.959964 * (100 / 4 + 2 * (100 * least) ** 2) ** 0.5, rel=1e-4)


def test_a_match_with_a_neighbour_is_predicted_by_the_rating_difference():
    assert predict(100, 10.0, 10.0).score == expected_score(100)


def test_the_current_version_is_met_twice_and_then_a_neighbour():
    assert [schedule(number) for number in range(1, 7)] == ["current", "current", "neighbour"] * 2


def test_neighbours_are_in_the_order_of_fewest_meetings_and_then_of_rating():
    assert nearest(1500, [(1490, 1), (1600, 2), (1520, 3)], {1: 2, 3: 1}) == [2, 3, 1]
