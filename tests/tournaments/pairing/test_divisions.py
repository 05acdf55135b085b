"""Movement between the divisions of a league."""

from hypothesis import given
from hypothesis import strategies as st

from tournaments.pairing.divisions import moves_of, next_divisions


@st.composite
def seasons(draw):
    moves = draw(st.integers(1, 4))
    size = draw(st.integers(2 * moves, 12))
    first = next_divisions([], range(draw(st.integers(2, 50))), size=size, moves=moves)
    tables = [draw(st.permutations(division)) for division in first]
    return tables, size, moves


class TestNextDivisions:
    def test_exchanges_the_last_and_first_bots(self):
        tables = [list("abcd"), list("efgh"), list("ijkl")]
        divisions = next_divisions(tables, "abcdefghijkl", size=4, moves=1)
        assert divisions == [list("abce"), list("dfgi"), list("hjkl")]
        assert {bot: move for bot, move in moves_of(tables, divisions).items() if move != "stays"} == {
            "d": "down", "e": "up", "h": "down", "i": "up"}

    def test_fills_the_places_of_bots_that_left_and_adds_newcomers_by_rating(self):
        tables = [list("abcd"), list("efgh")]
        divisions = next_divisions(tables, "zbcdefghy", size=4, moves=1)
        assert divisions == [list("bced"), list("fghzy")]
        assert moves_of(tables, divisions)["a"] == "leaves"

    def test_divides_the_first_season_by_rating_into_at_most_fifty_divisions(self):
        assert next_divisions([], range(9), size=4, moves=1) == [[0, 1, 2, 3], [4, 5, 6, 7, 8]]
        assert next_divisions([], range(10), size=4, moves=1) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
        divisions = next_divisions([], range(205), size=4, moves=1)
        assert (len(divisions), divisions[-1]) == (50, list(range(196, 205)))

    @given(seasons(), st.data())
    def test_loses_and_doubles_no_bot_and_keeps_the_sizes(self, season, data):
        tables, size, moves = season
        bots = [bot for table in tables for bot in table]
        leaving = data.draw(st.sets(st.sampled_from(bots)))
        newcomers = range(100, 100 + data.draw(st.integers(0, 20)))
        entrants = [bot for bot in bots if bot not in leaving] + list(newcomers)
        divisions = next_divisions(tables, entrants, size=size, moves=moves)
        assert sorted(bot for division in divisions for bot in division) == sorted(entrants)
        assert all(len(division) == size for division in divisions[:-1])
        assert not divisions or len(divisions[-1]) < size + 2 * moves
        assert len(divisions) < 2 or len(divisions[-1]) >= 2 * moves

    @given(seasons())
    def test_moves_the_same_number_each_way_if_no_bot_comes_or_leaves(self, season):
        tables, size, moves = season
        bots = sorted(bot for table in tables for bot in table)
        divisions = next_divisions(tables, bots, size=size, moves=moves)
        assert [len(division) for division in divisions] == [len(table) for table in tables]
        for upper, lower, above, below in zip(tables, tables[1:], divisions, divisions[1:], strict=False):
            assert set(above) & set(lower) == set(lower[:moves])
            assert set(below) & set(upper) == set(upper[-moves:])
