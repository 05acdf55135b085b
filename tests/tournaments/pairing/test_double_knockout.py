"""Properties of double elimination."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.pairing import play
from tournaments.pairing import double_knockout

DICE = st.integers(0, 2**32).map(random.Random)


class TestADoubleKnockout:
    @given(st.integers(2, 70), DICE)
    def test_makes_everyone_but_the_winner_lose_twice_and_ranks_and_shows_all(self, entrants, dice):
        asked, winners = play.elimination(double_knockout, entrants, dice)
        lost = play.losses(asked, winners)
        (champion,) = winners[-1]
        assert lost.pop(champion, 0) <= 1
        assert lost == dict.fromkeys({*range(entrants)} - {champion}, 2)
        again = asked[-1].label == "Second grand final"
        assert sum(len(stage.ties) for stage in asked) == 2 * entrants - 2 + again
        assert again == (winners[len(asked) - 1 - again] == [asked[len(asked) - 1 - again].ties[0][1]])
        for stage in asked:
            sides = [side for pair in stage.ties for side in pair] + stage.byes
            assert len(sides) == len(set(sides))
        over = play.played(double_knockout, entrants, winners)
        assert over.placings()[0] == (1, champion)
        assert play.ranks_with_shared_places(over.placings(), entrants)
        drawn = [(tie.stage, tie.sides) for column in over.columns() for tie in column.ties if not tie.is_bye]
        assert Counter(drawn) == Counter((number, pair) for number, stage in enumerate(asked, 1)
                                         for pair in stage.ties)

    @given(st.integers(3, 6).map(lambda power: 2 ** power), DICE)
    def test_postpones_rematches(self, entrants, dice):
        # Entrants who met in the winners' bracket meet again only when few entrants are left.
        asked, _ = play.elimination(double_knockout, entrants, dice)
        met = [frozenset(pair) for stage in asked if len(stage.ties) > max(2, entrants // 8) for pair in stage.ties]
        assert len(met) == len(set(met))

    def test_has_a_second_grand_final_only_if_the_unbeaten_side_loses(self):
        before = [[0, 1], [0, 2], [1]]
        grand_final = play.next_stage(double_knockout, 4, before)
        assert (grand_final.label, grand_final.ties) == ("Grand final", [(0, 1)])
        assert play.next_stage(double_knockout, 4, [*before, [0]]) is None
        again = play.next_stage(double_knockout, 4, [*before, [1]])
        assert (again.label, again.ties) == ("Second grand final", [(0, 1)])
        assert play.next_stage(double_knockout, 4, [*before, [1], [0]]) is None
        open_, over = (play.played(double_knockout, 4, [*before, [1], *last]) for last in ([], [[0]]))
        assert open_.placings() == [(3, 2), (4, 3)]
        assert over.placings() == [(1, 0), (2, 1), (3, 2), (4, 3)]
        last = open_.columns()[-1]
        assert (last.label, last.ties[0].sides) == ("Second grand final", (0, 1))

    def test_plays_both_brackets_together(self):
        asked, _ = play.elimination(double_knockout, 8, random.Random(1))
        assert [stage.label for stage in asked][:6] == [
            "Winners' round 1", "Winners' round 2 and losers' round 1", "Winners' final and losers' round 2",
            "Losers' round 3", "Losers' final", "Grand final"]

    def test_crosses_over_dropped_entrants(self):
        assert play.next_stage(double_knockout, 8, [[0, 3, 1, 2], [0, 1, 4, 5]]).ties == [(0, 1), (4, 2), (5, 3)]

    def test_skips_rounds_without_ties(self):
        asked, _ = play.elimination(double_knockout, 6, random.Random(3))
        assert [(stage.label, stage.byes) for stage in asked[:3]] == [
            ("Winners' round 1", [0, 1]), ("Winners' round 2", []), ("Winners' final and losers' round 1", [])]

    def test_refuses_winners_other_than_one_per_tie(self):
        with pytest.raises(ValueError, match="needs one winner of each"):
            play.next_stage(double_knockout, 4, [[0, 3]])

    def test_has_three_sections(self):
        columns = play.played(double_knockout, 4, []).columns()
        assert [(column.section, column.label) for column in columns] == [
            ("winners", "Winners' round 1"), ("winners", "Winners' final"), ("losers", "Losers' round 1"),
            ("losers", "Losers' final"), ("grand final", "Grand final")]
