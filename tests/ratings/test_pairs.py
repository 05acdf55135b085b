"""The pair table: integer sums, independent of the order of games."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.fit.pairs import TRIANGLE, PairTable, from_arrays, from_games

PLAYERS = st.integers(1, 6)
GAMES = st.lists(
    st.tuples(PLAYERS, PLAYERS, st.sampled_from([1.0, 0.5, 0.0]), st.sampled_from([None, "a", "b"])).filter(
        lambda game: game[0] != game[1]), max_size=40)


def same(one: PairTable, other: PairTable) -> bool:
    return one.digest() == other.digest() and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("players", "low", "high", "counts", "moments"))


def from_rows(rows: Iterable[tuple[int, int, list[float], list[float]]]) -> PairTable:
    """Return the table of rows (lower id, higher id, six counts, 21 moments)."""
    low, high, counts, moments = zip(*rows, strict=True)
    return from_arrays(np.array(low), np.array(high), np.array(counts, dtype=np.float64),
                       np.array(moments, dtype=np.float64))


class TestFromGames:
    def test_counts_results_by_first_seat(self) -> None:
        table = from_games([(7, 3, 1.0, None), (3, 7, 1.0, None), (3, 7, 0.5, None), (3, 7, 0.0, None)])
        assert table.players.tolist() == [3, 7]
        assert table.counts.tolist() == [[1, 1, 1, 1, 0, 0]]
        assert table.games == 4

    def test_sums_the_products_of_each_cluster(self) -> None:
        table = from_games([(1, 2, 1.0, "a")] * 2 + [(2, 1, 0.0, "a"), (1, 2, 0.5, "b"), (1, 2, 0.5, None)])
        whole = np.zeros((6, 6))
        whole[TRIANGLE] = table.moments[0]
        c = np.array([2, 0, 0, 0, 0, 1])
        assert np.array_equal(whole, np.triu(np.outer(c, c) + np.diag([0, 2, 0, 0, 0, 0])))
        assert not table.alone

    def test_treats_a_game_without_an_opening_as_its_own_cluster(self) -> None:
        games = [(1, 2, 1.0), (1, 2, 1.0), (2, 1, 0.5)]
        alone = from_games((*game, None) for game in games)
        assert same(alone, from_games((*game, number) for number, game in enumerate(games)))
        assert alone.alone

    @given(GAMES, st.randoms(use_true_random=False))
    def test_is_the_same_table_in_any_order(self, games, dice) -> None:
        shuffled = list(games)
        dice.shuffle(shuffled)
        assert same(from_games(games), from_games(shuffled))

    def test_refuses_a_player_against_itself(self) -> None:
        with pytest.raises(ValueError, match="player 4 cannot meet itself"):
            from_games([(4, 4, 1.0, None)])

    def test_refuses_a_score_that_is_not_a_result(self) -> None:
        for score in (0.25, 2.0, float("nan")):
            with pytest.raises(ValueError, match=r"1, 0\.5 or 0"):
                from_games([(1, 2, score, None)])

    def test_returns_an_empty_table_for_no_games(self) -> None:
        table = from_games([])
        assert (len(table.players), len(table.low), table.games) == (0, 0, 0)


class TestFromRows:
    @given(GAMES.filter(bool))
    def test_restores_a_stored_table(self, games) -> None:
        table = from_games(games)
        rows = [
            (int(table.players[low]), int(table.players[high]), counts.tolist(), moments.tolist())
            for low, high, counts, moments in zip(table.low, table.high, table.counts, table.moments, strict=True)]
        assert same(table, from_rows(reversed(rows)))

    def test_leaves_out_pairs_without_games(self) -> None:
        assert from_rows([(1, 2, [0] * 6, [0] * 21)]).players.tolist() == []

    def test_refuses_rows_that_no_games_produce(self) -> None:
        for rows, reason in (
                ([(2, 1, [1] * 6, [1] * 21)], "the lower one"), ([(1, 2, [1] * 6, [1] * 21)] * 2, "given twice"),
                ([(1, 2, [-1] * 6, [1] * 21)], "whole numbers"), ([(1, 2, [0.5] * 6, [1] * 21)], "whole numbers"),
                ([(1, 2, [1] * 6, [float("nan")] * 21)], "whole numbers")):
            with pytest.raises(ValueError, match=reason):
                from_rows(rows)


class TestFromArrays:
    def test_treats_games_as_independent_without_moments(self) -> None:
        games = [(1, 2, 1.0, None), (3, 2, 0.5, None)]
        table = from_games(games)
        bare = from_arrays(table.players[table.low], table.players[table.high], table.counts)
        assert bare.alone
        assert bare.digest() == table.digest()


class TestDigest:
    def test_differs_for_tables_that_differ_only_in_their_clusters(self) -> None:
        once, twice = ([(1, 2, 1.0, opening), (1, 2, 1.0, "a")] for opening in ("a", "b"))
        assert from_games(once).digest() != from_games(twice).digest()

    def test_differs_for_different_ids(self) -> None:
        assert from_games([(1, 2, 1.0, None)]).digest() != from_games([(1, 3, 1.0, None)]).digest()
