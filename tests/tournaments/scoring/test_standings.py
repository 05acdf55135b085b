"""Standings and crosstable from counts of results."""

from hypothesis import given
from hypothesis import strategies as st

from tournaments.scoring.standings import Tally, crosstable, standings

TALLIES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([0, 1, None]), st.integers(1, 3))
    .filter(lambda t: t[0] != t[1]).map(lambda t: Tally(*t)), max_size=30)


class TestStandings:
    def test_put_the_most_points_first_and_count_draws_as_half(self):
        rows = standings([1, 2, 3], [Tally(1, 2, 1, 1), Tally(2, 3, None, 1), Tally(3, 1, 0, 1)])
        assert [(row.entrant, row.score.points, row.place) for row in rows] == [(2, 1.5, 1), (3, 1.5, 1), (1, 0, 3)]

    def test_break_ties_by_the_points_of_beaten_opponents(self):
        # 1 and 2 have two points each; 1 won against 3, which has one point, and 2 against 4, which has 0.
        tallies = [Tally(1, 3, 0, 2), Tally(2, 4, 0, 2), Tally(3, 4, 0, 1)]
        rows = standings([1, 2, 3, 4], tallies)
        assert [(row.entrant, row.sonneborn_berger) for row in rows[:2]] == [(1, 2.0), (2, 0.0)]
        assert [row.place for row in rows] == [1, 2, 3, 4]

    def test_separate_the_scores_by_seat_and_include_entrants_without_games(self):
        row, _, idle = standings([1, 2, 7], [Tally(1, 2, 0, 3), Tally(2, 1, 0, 2)])
        assert (row.seats[0].wins, row.seats[1].losses, row.score.games) == (3, 2, 5)
        assert (idle.entrant, idle.place, idle.score.games) == (7, 3, 0)
        assert [row.place for row in standings([7, 8], [])] == [1, 1]

    @given(TALLIES)
    def test_award_exactly_one_point_per_game_in_any_order_of_results(self, tallies):
        rows = standings(range(5), tallies)
        assert sum(row.score.points for row in rows) == sum(tally.count for tally in tallies)
        assert rows == standings(range(5), tallies[::-1])


class TestCrosstable:
    @given(TALLIES)
    def test_shows_each_pair_from_both_sides(self, tallies):
        table = crosstable(tallies)
        for (one, other), score in table.items():
            mirrored = table[other, one]
            assert (score.wins, score.draws, score.losses) == (mirrored.losses, mirrored.draws, mirrored.wins)
