from random import Random

import pytest

from engines.rules.errors import IllegalTurn, NotationError
from engines.rules.notation import format_turn
from engines.rules.registry import RULESETS, find
from engines.rules.turn_builder import build


class TestBuildingATurn:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_leads_to_a_legal_turn_with_any_choices(self, slug):
        dice, position = Random(5), find(slug).start(6)
        while position.outcome is None:
            building = build(position)
            while not building.is_complete and not (building.may_end and dice.random() < 0.3):
                if not building.cells:
                    break
                stones = (*building.stones, dice.choice(building.cells))
                building = build(position, format_turn(stones, 6))
                assert building.stones == stones
                assert building.may_end == position.is_legal(stones)
            turn = building.stones or position.parse(building.words[0])
            position = position.play(turn)

    def test_offers_swap_and_pass_if_they_are_legal(self):
        start = find("square-grid-hex").start(3)
        assert build(start).words == ()
        assert build(start.play((0,))).words == ("swap",)
        assert build(find("squaresquared").start(4)).words == ("pass",)

    def test_offers_nothing_after_the_game(self):
        over = find("square-grid-hex").start(3).play((-3,))
        assert (build(over).cells, build(over).words, build(over).may_end) == ((), (), False)

    @pytest.mark.parametrize("text", ["a1,a1", "a1,b1", "pass", "swap", "resign"])
    def test_refuses_impossible_steps(self, text):
        with pytest.raises(IllegalTurn, match="is not a possible"):
            build(find("square-grid-hex").start(3), text)

    def test_refuses_text_that_is_not_a_cell(self):
        with pytest.raises(NotationError):
            build(find("square-grid-hex").start(3), "<b>")
