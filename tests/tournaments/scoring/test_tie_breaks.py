"""Tie-breaks, compared with the answers to FIDE's exercises."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.pairing import trf
from tournaments.scoring.standings import TIE_BREAKS, Tally, absence, bye, standings, void, walkover

DATA = Path(__file__).parents[2] / "data" / "tie_breaks"
# The answers by the rules of 2026, by player.
BUCHHOLZ = {1: 12.5, 2: 13, 3: 15.5, 4: 14, 5: 8.5, 8: 13.5, 11: 12.5, 16: 12.5}
CUT_1 = {1: 11, 3: 13, 4: 11.5, 5: 7.5, 7: 12.5, 8: 12, 9: 7.5, 11: 11, 12: 9.5, 13: 12, 14: 9, 15: 11, 16: 11}
SONNEBORN_BERGER = {1: 8, 2: 9.5, 3: 10.5, 4: 9.25, 5: 4.25, 6: 6, 7: 3.25, 8: 5.25, 9: 2.25, 10: 1.5, 11: 4.75, 12: 4,
                    13: 4.25, 14: 4.5, 15: 3.5, 16: 7.25}
WINS = {1: 2, 2: 3, 3: 2, 4: 2, 5: 2, 6: 2, 7: 1, 8: 2, 9: 0, 10: 1, 11: 1, 12: 0, 13: 1, 14: 2, 15: 2, 16: 3}


def table(name, *tie_breaks, forfeits_are_games=False):
    """The rows of one of M. Held's tournaments by player, numbered from 1; each match is one game."""
    players = trf.read(DATA / f"{name}.trf")
    rows = standings(range(len(players)), trf.tallies(players, forfeits_are_games=forfeits_are_games),
                     tie_breaks=tie_breaks, games_per_match=1,
                     unplayed=() if forfeits_are_games else trf.unplayed(players))
    return {row.entrant + 1: row for row in rows}


def by_entrant(entrants, tallies, **facts):
    """The points of each entrant, and its tie-breaks."""
    return {row.entrant: (row.points, *row.tie_breaks) for row in standings(range(1, entrants + 1), tallies, **facts)}


class TestFidesExercises:
    @pytest.mark.parametrize(("tie_break", "answers"), [
        ("buchholz", BUCHHOLZ), ("buchholz-cut-1", CUT_1), ("sonneborn-berger", SONNEBORN_BERGER), ("wins", WINS)],
        ids=["1 to 4", "5 to 8", "12", "28"])
    def test_are_solved(self, tie_break, answers):
        found = {player: row.tie_breaks[0] for player, row in table("held-swiss-5", tie_break).items()}
        assert found.items() >= answers.items()

    def test_14_and_26_of_a_round_robin_are_solved(self):
        rows = table("held-round-robin", "head-to-head", forfeits_are_games=True)
        assert {player: row.sonneborn_berger for player, row in rows.items()} == {
            1: 9.25, 2: 6.25, 3: 6.25, 4: 4.25, 5: 3.25, 6: 2.25}
        # Of the three leaders, 2 and 3 drew with each other and lost to 1.
        assert {player: row.place for player, row in rows.items()} == {1: 1, 2: 2, 3: 2, 4: 6, 5: 5, 6: 4}

    def test_23_to_25_of_meetings_are_solved(self):
        place = {player: row.place for player, row in table("held-swiss-5", "head-to-head").items()}
        assert {place[player] for player in (1, 3, 4, 16)} == {2}
        assert {place[player] for player in (5, 8, 11)} == {7}
        assert {player: row.place for player, row in table("held-swiss-9", "head-to-head").items()} == {
            1: 3, 2: 5, 3: 1, 4: 3, 5: 9, 6: 2, 7: 6, 8: 6, 9: 14, 10: 9, 11: 13, 12: 14, 13: 16, 14: 9, 15: 9, 16: 6}

    def test_have_buchholz_points_of_opponents_played(self):
        # Player 12 had a bye and a walkover, and then left; 4 and 6 had one round without play each.
        rows = table("held-swiss-5", "buchholz-played")
        for player, opponents in {1: [9, 13, 2, 15, 4], 4: [12, 13, 3, 1], 6: [14, 3, 10, 8], 12: [4]}.items():
            assert rows[player].tie_breaks[0] == sum(rows[opponent].points for opponent in opponents)


class TestBuchholz:
    def test_counts_a_bye_as_a_dummy_with_the_entrants_points_up_to_half(self):
        # In two rounds, 3 won a match and had a bye: 4 points. The dummy has 2, half of the 4 possible points.
        rows = by_entrant(3, [Tally(1, 2, 0, 2), Tally(1, 3, 1, 2)], tie_breaks=["buchholz"], unplayed=[bye(3), bye(2)])
        assert (rows[3], rows[2]) == ((4.0, 2.0 + 2.0), (2.0, 2.0 + 2.0))

    def test_counts_rounds_after_an_opponents_withdrawal_as_draws(self):
        rows = by_entrant(2, [Tally(1, 2, 0, 2)], tie_breaks=["buchholz"], unplayed=[absence(2), bye(1)])
        assert (rows[1][1], rows[2][1]) == (1.0 + 2.0, 4.0 + 0.0)

    def test_counts_only_points_of_opponents_played_if_so_wished(self):
        # 1 and 2 drew 1–1 and have 5 points each, two of them for a bye. 3 has 2 for a walkover, 4 has 2 against 3.
        tallies = [Tally(1, 3, 0, 2), Tally(2, 4, 0, 2), Tally(1, 2, 0, 1), Tally(1, 2, 1, 1), Tally(3, 4, 1, 2)]
        missed = [bye(1), bye(2), *walkover(3, 4)]
        assert by_entrant(4, tallies, tie_breaks=["buchholz-played"], unplayed=missed) == {
            1: (5.0, 2.0 + 5.0), 2: (5.0, 2.0 + 5.0), 3: (2.0, 5.0 + 2.0), 4: (2.0, 5.0 + 2.0)}

    def test_is_zero_without_matches(self):
        assert by_entrant(1, [], tie_breaks=["buchholz-cut-1"]) == {1: (0.0, 0.0)}


class TestHeadToHead:
    def test_applies_only_to_entrants_tied_on_earlier_criteria(self):
        # 2 beat 1, but 1 has more wins; 3 and 4 have fewer points.
        tallies = [Tally(2, 1, 0, 1), Tally(1, 3, 0, 2), Tally(2, 4, None, 2), Tally(3, 4, None, 1)]
        by_wins, by_meeting = (
            [row.entrant for row in standings([1, 2, 3, 4], tallies, tie_breaks=order)][:2]
            for order in (["wins", "head-to-head"], ["head-to-head", "wins"]))
        assert by_wins == [1, 2]
        assert by_meeting == [2, 1]


class TestPoints:
    def test_of_unplayed_rounds_are_like_won_lost_and_drawn_matches(self):
        rows = standings([1, 2, 3, 4], [], unplayed=[bye(1), *walkover(2, 3), *void(3, 4), absence(1)],
                         games_per_match=4)
        assert {row.entrant: row.points for row in rows} == {1: 4, 2: 4, 3: 2, 4: 2}
        assert all(row.score.games == 0 for row in rows)

    def test_by_match_go_to_the_majority_of_the_games(self):
        tallies = [Tally(1, 2, 0, 1), Tally(2, 1, None, 1), Tally(3, 4, 0, 1), Tally(4, 3, 0, 1), Tally(1, 3, 1, 2)]
        rows = standings([1, 2, 3, 4], tallies, by_match=True)
        assert [(row.entrant, row.points) for row in rows] == [(3, 1.5), (1, 1), (4, 0.5), (2, 0)]
        assert rows[0].score.points == 3
        assert standings([1], [], unplayed=[bye(1)], by_match=True)[0].points == 1


class TestTieBreaks:
    @given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([0, 1, None]), st.integers(1, 3))
                    .filter(lambda t: t[0] != t[1]).map(lambda t: Tally(*t)), max_size=20),
           st.lists(st.sampled_from(list(TIE_BREAKS)), unique=True))
    def test_apply_in_the_given_order(self, tallies, order):
        rows = standings(range(5), tallies, tie_breaks=order)
        keys = [(row.points, *row.tie_breaks) for row in rows]
        assert all(len(row.tie_breaks) == len(order) for row in rows)
        assert keys == sorted(keys, reverse=True)
        assert [row.place for row in rows] == [1 + sum(key > other for key in keys) for other in keys]

    def test_are_refused_if_unknown(self):
        with pytest.raises(KeyError, match="coin"):
            standings([1], [], tie_breaks=["coin"])
