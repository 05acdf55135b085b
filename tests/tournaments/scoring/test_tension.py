"""The tension of games, and the choice of the game that the director shows."""

from itertools import pairwise

import pytest

from tournaments.scoring.tension import PATIENCE_SECONDS, WEIGHTS, Direction, Facts, direct, tension


class TestTension:
    def test_is_greatest_if_everything_is_close(self):
        assert tension(Facts(stones=(1, 1), chance=0.5, rating=2500, gap=0)).score == pytest.approx(1)
        assert tension(Facts()) == (0, "")

    def test_grows_as_the_game_gets_closer(self):
        for facts in (
            [Facts(stones=stones) for stones in ((None, 1), (1, 6), (3, 4), (2, 2), (1, 1))],
            [Facts(chance=chance) for chance in (0.99, 0.2, 0.7, 0.5)],
            [Facts(rating=rating) for rating in (900, 1500, 2010, 2600)],
            [Facts(gap=gap) for gap in (8, 1, 0.5, 0)],
            [Facts(lead=0, filled=0.1), Facts(lead=1, filled=0.8), Facts(lead=0, filled=0.8)],
        ):
            scores = [tension(each).score for each in facts]
            assert all(low < high for low, high in pairwise(scores))
            assert max(scores) <= max(WEIGHTS.values())

    def test_names_the_part_that_contributes_most(self):
        assert tension(Facts(stones=(2, 2), chance=0.9, rating=1500)).reason == "stones"
        assert tension(Facts(stones=(2, 7), chance=0.55, rating=1500)).reason == "even"
        assert tension(Facts(rating=2400, gap=5)).reason == "rating"
        assert tension(Facts(rating=1100, gap=0)).reason == "standings"
        assert tension(Facts(lead=0, filled=0.9)).reason == "stones"


class TestDirect:
    def test_begins_with_the_tensest_game_and_leaves_an_ended_one_at_once(self):
        assert direct(None, {"a": 0.2, "b": 0.5}, 0) == Direction("b")
        assert direct(None, {}, 0) is None
        assert direct(Direction("a"), {}, 0) is None
        assert direct(Direction("a"), {"b": 0.1, "c": 0.3}, 0) == Direction("c")

    def test_leaves_a_running_game_only_after_another_was_clearly_tenser_for_a_while(self):
        choice, shown = Direction("a"), []
        for now in range(0, int(PATIENCE_SECONDS) + 3, 3):
            choice = direct(choice, {"a": 0.4, "b": 0.6}, now)
            shown.append(choice.game)
        assert shown == ["a", "a", "a", "a", "b"]

    def test_does_not_flap_and_does_not_leave_for_a_slightly_tenser_game(self):
        for other in (lambda now: 0.5 + 0.3 * (now % 6 < 4), lambda now: 0.55):
            choice = Direction("a")
            for now in range(120):
                choice = direct(choice, {"a": 0.5, "b": other(now)}, now)
                assert choice.game == "a"
        assert choice == Direction("a")
