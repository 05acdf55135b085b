"""Tie-breaks, compared with the answers to FIDE's exercises."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.pairing import trf
from tournaments.scoring.standings import TIE_BREAKS, Tally, absence, bye, standings, void, walkover

DATA = Path(__file__).parents[2] / "data" / "tie_breaks"


def table(name, *tie_breaks):
    """The rows of one of M. Held's tournaments by player, numbered from 1; each match is one game."""
    players = trf.read(DATA / f"{name}.trf")
    rows = standings(range(len(players)), trf.tallies(players), tie_breaks=tie_breaks, games_per_match=1,
                     unplayed=trf.unplayed(players))
    return {row.entrant + 1: row for row in rows}


def values(name, tie_break):
    return {player: row.tie_breaks[0] for player, row in table(name, tie_break).items()}


def places(name, *tie_breaks):
    return {player: row.place for player, row in table(name, *tie_breaks).items()}


class TestBuchholz:
    def test_solves_exercises_1_to_4_by_the_rules_of_2026(self):
        answers = {1: 12.5, 2: 13, 3: 15.5, 4: 14, 5: 8.5, 8: 13.5, 11: 12.5, 16: 12.5}
        assert values("held-swiss-5", "buchholz").items() >= answers.items()

    def test_counts_a_bye_as_a_dummy_with_the_entrants_points_up_to_half(self):
        # In two rounds, 3 won a match and had a bye: 4 points. The dummy has 2, half of the 4 possible points.
        tallies = [Tally(1, 2, 0, 2), Tally(1, 3, 1, 2)]
        rows = {row.entrant: row for row in standings(
            [1, 2, 3], tallies, tie_breaks=["buchholz"], unplayed=[bye(3), bye(2)])}
        assert (rows[3].points, rows[3].tie_breaks) == (4.0, (2.0 + 2.0,))
        assert (rows[2].points, rows[2].tie_breaks) == (2.0, (2.0 + 2.0,))

    def test_counts_rounds_after_an_opponents_withdrawal_as_draws(self):
        rows = {row.entrant: row for row in standings(
            [1, 2], [Tally(1, 2, 0, 2)], tie_breaks=["buchholz"], unplayed=[absence(2), bye(1)])}
        assert rows[1].tie_breaks == (1.0 + 2.0,)
        assert rows[2].tie_breaks == (4.0 + 0.0,)


class TestBuchholzPlayed:
    def test_counts_the_points_of_opponents_played_and_nothing_else(self):
        # 1 and 2 drew 1–1 and have 5 points each, two of them for a bye. 3 has 2 for a walkover, and 4 has 2 against 3.
        tallies = [Tally(1, 3, 0, 2), Tally(2, 4, 0, 2), Tally(1, 2, 0, 1), Tally(1, 2, 1, 1), Tally(3, 4, 1, 2)]
        missed = [bye(1), bye(2), *walkover(3, 4)]
        rows = {row.entrant: row for row in standings(
            [1, 2, 3, 4], tallies, tie_breaks=["buchholz-played"], unplayed=missed)}
        assert {entrant: row.points for entrant, row in rows.items()} == {1: 5.0, 2: 5.0, 3: 2.0, 4: 2.0}
        assert {entrant: row.tie_breaks for entrant, row in rows.items()} == {
            1: (2.0 + 5.0,), 2: (2.0 + 5.0,), 3: (5.0 + 2.0,), 4: (5.0 + 2.0,)}

    # Player 12 had a bye and a walkover, and then left; 4 and 6 had one round without play each.
    def test_adds_up_the_points_in_the_table_of_an_exercise(self):
        rows = table("held-swiss-5", "buchholz-played")
        for player, opponents in {1: [9, 13, 2, 15, 4], 4: [12, 13, 3, 1], 6: [14, 3, 10, 8], 12: [4]}.items():
            assert rows[player].tie_breaks[0] == sum(rows[opponent].points for opponent in opponents)


class TestBuchholzCut1:
    def test_solves_exercises_5_to_8_by_the_rules_of_2026(self):
        answers = {1: 11, 3: 13, 4: 11.5, 5: 7.5, 7: 12.5, 8: 12, 9: 7.5, 11: 11, 12: 9.5, 13: 12, 14: 9, 15: 11,
                   16: 11}
        assert values("held-swiss-5", "buchholz-cut-1").items() >= answers.items()
        # Without matches it is zero.
        assert standings([1], [], tie_breaks=["buchholz-cut-1"])[0].tie_breaks == (0.0,)


class TestSonnebornBerger:
    def test_solves_exercise_12_by_the_rules_of_2026(self):
        assert values("held-swiss-5", "sonneborn-berger") == {
            1: 8, 2: 9.5, 3: 10.5, 4: 9.25, 5: 4.25, 6: 6, 7: 3.25, 8: 5.25, 9: 2.25, 10: 1.5, 11: 4.75, 12: 4,
            13: 4.25, 14: 4.5, 15: 3.5, 16: 7.25}

    def test_solves_exercise_14(self):
        players = trf.read(DATA / "held-round-robin.trf")
        rows = standings(range(6), trf.tallies(players, forfeits_are_games=True), games_per_match=1)
        assert {row.entrant + 1: row.sonneborn_berger for row in rows} == {
            1: 9.25, 2: 6.25, 3: 6.25, 4: 4.25, 5: 3.25, 6: 2.25}


class TestHeadToHead:
    def test_solves_exercises_23_and_24(self):
        by_place = places("held-swiss-5", "head-to-head")
        assert {by_place[player] for player in (1, 3, 4, 16)} == {2}
        assert {by_place[player] for player in (5, 8, 11)} == {7}

    def test_solves_exercise_25(self):
        assert places("held-swiss-9", "head-to-head") == {
            1: 3, 2: 5, 3: 1, 4: 3, 5: 9, 6: 2, 7: 6, 8: 6, 9: 14, 10: 9, 11: 13, 12: 14, 13: 16, 14: 9, 15: 9, 16: 6}

    def test_solves_exercise_26(self):
        players = trf.read(DATA / "held-round-robin.trf")
        rows = standings(range(6), trf.tallies(players, forfeits_are_games=True), tie_breaks=["head-to-head"],
                         games_per_match=1)
        # Of the three leaders, 2 and 3 drew with each other and lost to 1.
        assert {row.entrant + 1: row.place for row in rows} == {1: 1, 2: 2, 3: 2, 4: 6, 5: 5, 6: 4}

    def test_applies_only_to_entrants_tied_on_earlier_criteria(self):
        # 2 beat 1, but 1 has more wins; 3 and 4 have fewer points.
        tallies = [Tally(2, 1, 0, 1), Tally(1, 3, 0, 2), Tally(2, 4, None, 2), Tally(3, 4, None, 1)]
        by_wins, by_meeting = (
            [row.entrant for row in standings([1, 2, 3, 4], tallies, tie_breaks=order)][:2]
            for order in (["wins", "head-to-head"], ["head-to-head", "wins"]))
        assert by_wins == [1, 2]
        assert by_meeting == [2, 1]


class TestWins:
    def test_leave_out_wins_without_play(self):
        # Exercise 28.
        assert values("held-swiss-5", "wins") == {
            1: 2, 2: 3, 3: 2, 4: 2, 5: 2, 6: 2, 7: 1, 8: 2, 9: 0, 10: 1, 11: 1, 12: 0, 13: 1, 14: 2, 15: 2, 16: 3}


class TestUnplayedRounds:
    def test_score_like_won_lost_and_drawn_matches(self):
        rows = standings([1, 2, 3, 4], [], unplayed=[bye(1), *walkover(2, 3), *void(3, 4), absence(1)],
                         games_per_match=4)
        assert {row.entrant: row.points for row in rows} == {1: 4, 2: 4, 3: 2, 4: 2}
        assert all(row.score.games == 0 for row in rows)
        # One if points are per match.
        assert standings([1], [], unplayed=[bye(1)], by_match=True)[0].points == 1


class TestPointsByMatch:
    def test_go_to_the_majority_of_the_games(self):
        tallies = [Tally(1, 2, 0, 1), Tally(2, 1, None, 1), Tally(3, 4, 0, 1), Tally(4, 3, 0, 1), Tally(1, 3, 1, 2)]
        rows = standings([1, 2, 3, 4], tallies, by_match=True)
        assert [(row.entrant, row.points) for row in rows] == [(3, 1.5), (1, 1), (4, 0.5), (2, 0)]
        assert rows[0].score.points == 3


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
