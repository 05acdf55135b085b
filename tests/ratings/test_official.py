"""The official table: guarantees of each column, and unusual ladders."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.chances import games_still_needed
from ratings.fit.components import components
from ratings.fit.covariance import contrast_variance
from ratings.fit.estimate import estimate
from ratings.fit.pairs import PairTable, from_arrays, from_games
from ratings.official import NEIGHBOURS, OfficialTable, official
from ratings.ranks import rank_intervals, superiority
from tests.effort import examples
from tests.ratings.test_davidson import chain

PLAYERS = st.integers(1, 7)
GAMES = st.lists(
    st.tuples(PLAYERS, PLAYERS, st.sampled_from([1.0, 0.5, 0.0]), st.sampled_from([None, "a", "b"])).filter(
        lambda game: game[0] != game[1]), max_size=40)
# Each player beats every other once with each seat.
EVEN = [(a, b, score, None) for a in range(1, 5) for b in range(1, 5) if a != b for score in (1.0, 0.5, 0.0)]


def table(games: list, **options) -> OfficialTable:
    return official(from_games(games), **options)


def better(pairs: PairTable, a: int, b: int) -> float:
    """Return the probability that player `a` is stronger than `b`, by one linear system as on comparison pages."""
    one, other = (int(place) for place in np.searchsorted(pairs.players, [a, b]))
    estimated = estimate(pairs)
    variance = contrast_variance(estimated, one, other)
    return superiority(float(estimated.fit.theta[one] - estimated.fit.theta[other]), variance)


class TestOfficial:
    @given(GAMES, st.randoms(use_true_random=False))
    @settings(max_examples=examples(50) // 2)
    def test_is_the_same_for_any_order_of_games_and_any_start(self, games, dice) -> None:
        shuffled = list(games)
        dice.shuffle(shuffled)
        cold = table(games)
        warm = table(shuffled, start=table(games[::2]).fit)
        assert warm.lines == cold.lines
        assert (warm.input, warm.first_move_advantage, warm.draw_parameter) == (
            cold.input, cold.first_move_advantage, cold.draw_parameter)

    @given(GAMES)
    @settings(max_examples=examples(80) // 2)
    def test_has_only_finite_numbers_in_a_consistent_order(self, games) -> None:
        made = table(games)
        assert sum(line.games for line in made.lines) == 2 * made.games == 2 * len(games)
        for line in made.lines:
            assert all(math.isfinite(number) for number in (line.rating, line.low, line.high, line.error))
            assert line.low <= line.rating <= line.high
            assert line.rank_low <= line.rank <= line.rank_high
            assert line.wins + line.draws + line.losses == line.games
            assert all(math.isfinite(number) for number in line.covariances)
        for line, below in zip(made.lines, made.lines[1:], strict=False):
            assert (line.component, -line.rating) <= (below.component, -below.rating)
            assert (line.better_than_next is None) == (line.component != below.component)
        for each in (made.first_move_advantage, made.draw_parameter, made.draw_rate):
            assert each.low <= each.value <= each.high
        assert sorted(player for part in made.components for player in part) == sorted(
            line.player for line in made.lines)

    def test_puts_the_mean_of_the_largest_component_at_1500(self) -> None:
        made = table([*EVEN, (1, 2, 1.0, None), (8, 9, 1.0, None)])
        assert np.mean([line.rating for line in made.lines if line.component == 0]) == pytest.approx(1500, abs=1e-3)

    def test_of_no_games_is_empty(self) -> None:
        made = table([])
        assert (made.lines, made.components, made.games, made.connected) == ((), (), 0, True)

    def test_gives_equals_equal_ratings(self) -> None:
        assert {line.rating for line in table(EVEN).lines} == {1500.0}
        assert {(line.rank_low, line.rank_high) for line in table(EVEN).lines} == {(1, 4)}

    def test_separates_a_clearly_better_player(self) -> None:
        made = table([(1, 2, 1.0, None), (2, 1, 0.0, None)] * 60 + [(1, 2, 0.0, None), (2, 1, 1.0, None)] * 5)
        assert [(line.player, line.rank_low, line.rank_high) for line in made.lines] == [(1, 1, 1), (2, 2, 2)]
        assert made.lines[0].better_than_next > 0.9999
        assert made.lines[1].better_than_next is None

    def test_counts_repeated_games_once(self) -> None:
        games = [(a, b, s, n) for n, (a, b, s, _) in enumerate(EVEN + EVEN[:20:2])]
        once, ten = table(games), table(games * 10)
        for line, same in zip(once.lines, ten.lines, strict=True):
            assert same.error == pytest.approx(line.error, rel=0.05)

    def test_separates_players_that_cannot_be_compared(self) -> None:
        made = table([*EVEN, (8, 9, 1.0, None), (9, 8, 1.0, None)])
        assert made.components == ((1, 2, 3, 4), (8, 9))
        assert not made.connected
        island = made.lines[4:]
        assert [(line.component, line.rank) for line in island] == [(1, 5), (1, 6)]
        # Only the ladder's spread determines an island's position.
        assert all(line.error > 1.2 * made.lines[0].error for line in island)
        assert all(line.rank_low >= 5 for line in island)

    def test_estimates_the_first_move_advantage(self) -> None:
        games = [(a, b, 1.0, None) for a in range(5) for b in range(5) if a != b] * 3
        games += [(a, b, 0.0, None) for a in range(5) for b in range(5) if a != b]
        made = table(games)
        # The prior of 100 Elo takes a little away.
        assert 0.8 < made.first_move_advantage.value / (400 * math.log10(3)) < 1.0
        assert made.first_move_advantage.low > 0

    def test_estimates_the_draw_rate_between_equals(self) -> None:
        made = table(EVEN)
        assert made.draw_rate.value == pytest.approx(1 / 3, abs=0.01)
        assert made.draw_parameter.value == pytest.approx(1.0, abs=0.06)

    def test_of_games_without_draws_has_no_draws(self) -> None:
        made = table([(1, 2, 1.0, None), (2, 1, 1.0, None)])
        assert made.draw_parameter.value == made.draw_rate.value == made.draw_rate.low == 0.0
        assert 0.5 < made.draw_rate.high < 1.0

    def test_stores_covariances_with_the_next_lines(self) -> None:
        made = official(chain(60, 1))
        assert [len(line.covariances) for line in made.lines] == [min(NEIGHBOURS, 59 - place) for place in range(60)]
        first, second = made.lines[:2]
        variance = first.error**2 + second.error**2 - 2 * first.covariances[0]
        assert first.better_than_next == pytest.approx(
            superiority(first.rating - second.rating, variance), abs=1e-5)

    def test_above_the_limit_says_that_it_is_not_exact(self) -> None:
        made = official(chain(60, 1), limit=50)
        assert not made.exact
        assert {line.covariances for line in made.lines} == {()}
        assert [line.rating for line in made.lines] == [line.rating for line in official(chain(60, 1)).lines]


class TestEdges:
    """Sensible values with wide intervals, where a fit without a learned prior says ±4 or 2256 ± 1018."""

    def test_of_few_games_are_wide_around_sensible_values(self) -> None:
        for name, games, largest, narrowest, widest in (
                ("8–0", [(1, 2, 1.0, None), (2, 1, 0.0, None)] * 4, 2000, 250, 600),
                ("8–0 from one opening", [(1, 2, 1.0, "")] * 4 + [(2, 1, 0.0, "")] * 4, 1900, 250, 600),
                ("one decisive game", [(1, 2, 1.0, "")], 1700, 250, 600),
                ("one drawn game", [(1, 2, 0.5, "")], 1501, 80, 400),
                ("two draws", [(1, 2, 0.5, ""), (2, 1, 0.5, "")], 1501, 60, 400),
                ("20 draws from one opening", [(1, 2, 0.5, ""), (2, 1, 0.5, "")] * 10, 1501, 60, 400)):
            line = table(games).lines[0]
            assert line.rating <= largest, name
            assert narrowest <= line.high - line.rating <= widest, name

    def test_of_one_opening_is_as_wide_as_of_independent_games_if_they_differ(self) -> None:
        rows = [(1, 2, 1.0)] * 6 + [(1, 2, 0.0)] * 4 + [(2, 1, 0.0)] * 5 + [(2, 1, 1.0)] * 5
        one, apart = (table([(*row, opening) for row in rows]).lines[0] for opening in ("", None))
        assert 1.0 <= (one.high - one.low) / (apart.high - apart.low) < 1.4
        assert 40 < apart.high - apart.rating < 80

    def test_keep_the_first_move_advantage_and_draws_near_what_is_usual(self) -> None:
        one = table([(1, 2, 1.0, "")])
        assert abs(one.first_move_advantage.value) < 50
        assert one.first_move_advantage.high - one.first_move_advantage.value > 150
        assert table([(1, 2, 0.5, ""), (2, 1, 0.5, "")] * 100).draw_rate.low < 0.6

    def test_of_half_a_million_games_and_of_the_largest_counts_are_finite(self) -> None:
        low, high = np.array([1, 1, 2]), np.array([2, 3, 3])
        for largest in (5e5, 2.0**31 - 1):
            counts = np.array([[largest, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0], [0, 0, largest, largest, 0, 0]])
            made = official(from_arrays(low, high, counts))
            assert all(math.isfinite(line.high) and line.error > 0.0 for line in made.lines)

    def test_learn_the_spread_of_the_ladder(self) -> None:
        dice = np.random.default_rng(2)
        for spread in (20.0, 400.0):
            theta = dice.normal(0.0, spread * math.log(10) / 400, 30)
            games = [(a, b, float(dice.random() < 1 / (1 + math.exp(theta[b] - theta[a]))), None)
                     for a in range(30) for b in range(30) if a != b for _ in range(20)]
            assert math.exp(estimate(from_games(games)).spread.log) == pytest.approx(spread, rel=0.4)


class TestAnchors:
    def test_have_their_given_rating_and_no_error(self) -> None:
        games = [*EVEN, (1, 2, 1.0, None), (1, 3, 1.0, None)]
        free, anchored = table(games), table(games, anchors={2: 2000.0})
        line = next(line for line in anchored.lines if line.player == 2)
        assert (line.rating, line.error) == (2000.0, pytest.approx(0.0, abs=1e-3))
        shift = {line.player: line.rating for line in free.lines}
        for line in anchored.lines:
            assert line.rating - 2000.0 == pytest.approx(shift[line.player] - shift[2], abs=1e-5)

    def test_share_their_mean_when_there_are_several(self) -> None:
        made = table([*EVEN, (1, 2, 1.0, None)], anchors={1: 1800.0, 4: 1700.0})
        ratings = {line.player: line.rating for line in made.lines}
        assert (ratings[1] + ratings[4]) / 2 == pytest.approx(1750.0, abs=1e-5)

    def test_hold_an_island_in_place(self) -> None:
        made = table([*EVEN, (8, 9, 1.0, None), (9, 8, 1.0, None)], anchors={8: 1000.0})
        ratings = {line.player: line for line in made.lines}
        assert ratings[8].rating == pytest.approx(1000.0)
        assert ratings[8].error == pytest.approx(0.0, abs=1e-3)
        assert ratings[1].rating == pytest.approx(1500.0)

    def test_without_games_change_nothing(self) -> None:
        assert table(EVEN, anchors={77: 3000.0}).lines == table(EVEN).lines

    def test_must_be_numbers(self) -> None:
        with pytest.raises(ValueError, match="finite number of Elo"):
            table(EVEN, anchors={1: math.nan})


class TestBetter:
    def test_matches_the_tables_chance_for_neighbours(self) -> None:
        pairs = chain(200, 4)
        made = official(pairs)
        for line, below in zip(made.lines[::40], made.lines[1::40], strict=True):
            assert better(pairs, line.player, below.player) == pytest.approx(line.better_than_next, abs=2e-3)

    def test_of_two_islands_is_undecided(self) -> None:
        pairs = from_games([(1, 2, 1.0, None), (2, 1, 1.0, None), (8, 9, 1.0, None), (9, 8, 1.0, None)])
        assert better(pairs, 1, 8) == pytest.approx(0.5, abs=0.01)

    def test_is_complementary_for_swapped_players(self) -> None:
        pairs = chain(20, 4)
        assert better(pairs, 3, 12) + better(pairs, 12, 3) == pytest.approx(1.0)
        assert better(pairs, 3, 3) == 0.5


class TestGamesStillNeeded:
    def test_are_about_740_from_nothing(self) -> None:
        assert games_still_needed(1e9, 0.0, 25) == pytest.approx(740, abs=3)

    def test_are_fewer_for_a_wider_interval(self) -> None:
        assert games_still_needed(1e9, 0.0, 100) == pytest.approx(740 / 16, abs=1)

    def test_are_zero_once_the_interval_is_narrow(self) -> None:
        assert games_still_needed(25 / 1.96, 0.0, 25) == 0
        assert games_still_needed(0.0, 0.5, 25) == 0

    def test_are_enough_for_a_player_who_then_plays_them(self) -> None:
        # Against many equals with well-known ratings, whose small spread then makes the interval even narrower.
        games = [(1, 2 + n % 40, s, None) for n, s in enumerate([1.0, 0.0] * 372)]
        games += [(a, b, s, None) for a in range(2, 42) for b in range(a + 1, 42) for s in (1.0, 0.0)] * 20
        line = next(line for line in table(games).lines if line.player == 1)
        assert 10 < line.high - line.low <= 50


class TestRankIntervals:
    def test_use_the_covariance_of_two_ratings(self) -> None:
        rating, variance = np.array([30.0, 0.0]), np.array([400.0, 400.0])
        apart = [ranks.tolist() for ranks in rank_intervals(rating, variance, None)]
        together = [ranks.tolist() for ranks in rank_intervals(rating, variance, np.array([[400.0, 390], [390, 400]]))]
        assert (apart, together) == ([[1, 1], [2, 2]], [[1, 2], [1, 2]])


class TestComponents:
    @given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).filter(lambda p: p[0] != p[1]), max_size=30))
    def test_are_found_and_ordered_by_size_then_lowest_id(self, met) -> None:
        groups: list[set[int]] = []
        for pair in met:
            touched = [group for group in groups if group & set(pair)]
            groups = [group for group in groups if group not in touched] + [set(pair).union(*touched)]
        expected = sorted(groups, key=lambda group: (-len(group), min(group)))
        pairs = from_games((a, b, 1.0, None) for a, b in met)
        numbers = components(pairs)
        found = [set(pairs.players[numbers == number].tolist()) for number in range(len(expected))]
        assert found == expected
