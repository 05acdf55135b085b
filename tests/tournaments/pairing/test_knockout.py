"""Properties of single elimination."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.pairing import play
from tournaments.pairing import knockout

ENTRANTS = st.integers(2, 70)
DICE = st.integers(0, 2**32).map(random.Random)


class TestNextStage:
    @given(ENTRANTS, DICE, st.booleans())
    def test_makes_everyone_but_the_winner_lose_once_and_ranks_them(self, entrants, dice, third_place):
        asked, winners = play.elimination(knockout, entrants, dice, third_place=third_place)
        with_third = third_place and entrants >= 4
        assert sum(len(stage.ties) for stage in asked) == entrants - 1 + with_third
        if not third_place:
            (champion,) = winners[-1]
            assert play.losses(asked, winners) == dict.fromkeys({*range(entrants)} - {champion}, 1)
        placings = play.played(knockout, entrants, winners, third_place=third_place).placings()
        assert play.ranks_with_shared_places(placings, entrants)
        places = [place for place, _ in placings]
        assert (places.count(3), places.count(4)) == ((1, 1) if with_third else (min(2, entrants - 2), 0))

    @given(ENTRANTS, DICE)
    def test_gives_byes_only_in_the_first_stage_to_the_best_seeds(self, entrants, dice):
        first, *rest = play.elimination(knockout, entrants, dice)[0]
        assert first.byes == list(range(len(first.byes)))
        assert len(first.byes) + len(first.ties) == 2 ** (len(rest))
        assert not any(stage.byes for stage in rest)

    def test_lets_the_best_seeds_meet_as_late_as_possible(self):
        for entrants in (2, 4, 8, 16, 32, 64):
            played = []
            for stage in iter(lambda: play.next_stage(knockout, entrants, played), None):  # noqa: B023 - called at once
                assert all(one + other == 2 * len(stage.ties) - 1 for one, other in stage.ties)
                played.append([min(pair) for pair in stage.ties])
        assert play.next_stage(knockout, 16, []).ties == [
            (0, 15), (7, 8), (3, 12), (4, 11), (1, 14), (6, 9), (2, 13), (5, 10)]

    def test_names_its_stages(self):
        asked, _ = play.elimination(knockout, 20, random.Random(1), third_place=True)
        assert [stage.label for stage in asked] == [
            "Round of 32", "Round of 16", "Quarter-finals", "Semi-finals", "Final and third place"]

    def test_pairs_the_losers_of_the_semi_finals_for_third_place(self):
        assert play.next_stage(knockout, 4, [[0, 1]], third_place=True).ties == [(0, 1), (3, 2)]

    def test_accepts_one_winner_per_tie_in_any_order(self):
        assert play.next_stage(knockout, 8, [[2, 1, 3, 0]]) == play.next_stage(knockout, 8, [{0, 1, 2, 3}])
        for stages in ([[0]], [[0, 3]], [[0, 7]], [[0, 1, 2]], [[0, 1], [0], [0]]):
            with pytest.raises(ValueError, match=r"needs one winner of each|everything is decided"):
                play.next_stage(knockout, 4, stages)
        with pytest.raises(ValueError, match="at least 2 entrants"):
            play.next_stage(knockout, 1, [])


class TestPlacings:
    def test_leave_out_undecided_places(self):
        semi_finals_over = play.played(knockout, 8, [[0, 1, 2, 3], [0, 1]])
        assert semi_finals_over.placings() == [(3, 2), (3, 3), (5, 4), (5, 5), (5, 6), (5, 7)]
        assert play.played(knockout, 4, [[0, 1]], third_place=True).placings() == []


class TestBracket:
    def test_shows_byes_results_and_open_ties(self):
        columns = play.played(knockout, 6, [[4, 2]]).columns()
        assert [(column.label, [(tie.sides, tie.winner, tie.stage) for tie in column.ties]) for column in columns] == [
            ("Quarter-finals", [((0, None), 0, None), ((3, 4), 4, 1), ((1, None), 1, None), ((2, 5), 2, 1)]),
            ("Semi-finals", [((0, 4), None, 2), ((1, 2), None, 2)]), ("Final", [((None, None), None, 3)])]

    def test_has_a_column_for_third_place(self):
        *_, last = play.played(knockout, 4, [[0, 1], [0, 3]], third_place=True).columns()
        assert (last.section, last.ties[0].sides, last.ties[0].winner) == ("third place", (3, 2), 3)

    @given(ENTRANTS, DICE)
    def test_fills_each_tie_from_two_ties_of_the_previous_column(self, entrants, dice):
        columns = play.played(knockout, entrants, play.elimination(knockout, entrants, dice)[1]).columns()
        for before, after in pairwise(columns):
            assert [tie.sides for tie in after.ties] == [
                (one.winner, other.winner) for one, other in zip(before.ties[::2], before.ties[1::2], strict=True)]
