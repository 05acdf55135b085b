"""Unfinished turns in facts (`explain`), with the examples of the rule sheets."""

from random import Random

import pytest

from engines.check import size_up_to
from engines.rules.explaining import ORDER, explain
from engines.rules.notation import cell_name, parse_cell
from engines.rules.registry import RULESETS, find
from engines.rules.ruleset import Effect


def at(size, *names):
    return tuple(parse_cell(name, size) for name in names)


def explained(slug, rows, *stones, seat=0):
    position = find(slug).setup(rows, seat)
    return position, explain(position, at(position.size, *stones))


def closed(position, facts):
    """Return the rule that closes each cell, and the cells that the reason names."""
    return {cell_name(cell, position.size): (why.rule, *(cell_name(named, position.size) for named in why.cells))
            for cell, why in facts.closed.items()}


class TestEveryRuleset:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_explains_every_empty_cell_in_every_unfinished_turn(self, slug):
        rng, size = Random(7), size_up_to(RULESETS[slug], 5)
        position = find(slug).start(size)
        for _ in range(60):
            if position.outcome is not None:
                break
            turn = position.random_turn(rng)
            for length in range(len(turn) if turn[0] >= 0 else 0):
                facts, stones = explain(position, turn[:length]), turn[:length]
                empty = {cell for cell, stone in enumerate(position.board_with(stones)) if not stone}
                assert set(facts.open) | set(facts.closed) == empty
                assert not set(facts.open) & set(facts.closed)
                assert (facts.unfinished is None) == (not stones or position.is_legal(stones))
                assert all(not position.is_legal((*stones, cell)) for cell, why in facts.closed.items()
                           if why.rule != ORDER)
            position = position.play(turn)

    def test_explains_nothing_after_the_end(self):
        facts = explain(find("squ").start(4).play((-3,)))
        assert (facts.open, facts.closed, facts.placed) == ({}, {}, ())


class TestScware:
    ROWS = ("......", "...1..", "......", "......", ".1....", "......")

    def test_names_the_groups_that_a_stone_grows_and_those_that_may_grow(self):
        position, facts = explained("scware", self.ROWS, "b3")
        (b2, d5), (b3,) = at(6, "b2", "d5"), at(6, "b3")
        assert facts.placed == (Effect(b3, (b2,), grows=True),)
        assert facts.growable == (d5,)
        why = closed(position, facts)
        assert why["c2"] == ("grown-twice", "b3", "c2", "b2")
        assert why["f1"] == ("start-with-growth", "f1")
        assert facts.unfinished is None

    def test_says_that_a_start_is_a_start_and_ends_the_turn(self):
        position, facts = explained("scware", self.ROWS, "f1")
        assert facts.placed == (Effect(*at(6, "f1"), (), grows=True),)
        assert closed(position, facts)["f3"] == ("two-starts", "f1", "f3")

    def test_names_the_stones_that_touch_diagonally(self):
        assert closed(*explained("scware", self.ROWS))["c4"] == ("diagonal", "c4", "d5")
        # A growth that comes to stand diagonal to another group must be joined to it in the same turn.
        _, facts = explained("scware", ("....", "..1.", "....", ".1.."), "b2")
        assert facts.unfinished.rule == "diagonal"
        assert facts.unfinished.cells == at(4, "b2", "c3")
        assert facts.open

    def test_asks_red_to_grow_before_starting_a_group(self):
        position, facts = explained("scware", ("....", ".1..", "....", "2..."), "d2", seat=1)
        assert closed(position, facts)["b1"] == (ORDER, "b1")


class TestOoscgW:
    ROWS = ("....", ".12.", "..1.", "....")

    def test_names_the_stones_that_a_crosscut_removes_and_the_bonus_due(self):
        _, facts = explained("ooscg-w", self.ROWS, "b2", seat=1)
        assert facts.placed[0].captured == at(4, "c2", "b3")
        assert (facts.unfinished.rule, facts.unfinished.count) == ("bonus-few", 2)
        assert set(at(4, "c2", "b3")) <= set(facts.open)
        _, facts = explained("ooscg-w", self.ROWS, "b2", "c2", "b3", seat=1)
        assert facts.unfinished is None
        assert {why.rule for why in facts.closed.values()} == {"bonus-many"}

    def test_names_the_crosscut_that_a_bonus_stone_would_form(self):
        rows = ("...12", "....1", ".12..", "..1..", ".....")
        position, facts = explained("ooscg-w", rows, "b2", seat=1)
        assert closed(position, facts) == {"d4": ("crosscut", "d4", "e4", "d5")}

    def test_joins_groups(self):
        _, facts = explained("ooscg-w", ("....", "1...", "..1.", "...."))
        assert facts.open[at(4, "b2")[0]].groups == at(4, "c2")
        assert facts.open[at(4, "c3")[0]].groups == at(4, "c2")


class TestSqu:
    def test_names_the_side_of_a_square_and_the_largest_one_so_far(self):
        rows = ("1...", "....", "22..", "1..1")
        _, facts = explained("squ", rows, "d4")
        (effect,) = facts.placed
        assert (effect.square, effect.best) == (4, 0)
        assert (facts.unfinished.rule, facts.unfinished.count) == ("discs", 1)

    def test_says_that_an_equal_square_is_not_larger(self):
        rows = ("1...", "....", "22.1", "22.1")
        position = find("squ").setup(("11..", "1...", "22..", "22.."), 0)
        assert position.effect((), at(4, "b3")[0]) == Effect(at(4, "b3")[0], square=2, best=2)
        position, facts = explained("squ", rows, "c1", "c2")
        assert (facts.placed[1].square, facts.placed[1].best) == (2, 2)
        assert {why.rule for why in facts.closed.values()} == {"discs"}


class TestSquareGridHex:
    def test_joins_groups_along_the_rising_diagonal_only(self):
        _, facts = explained("square-grid-hex", ("...", "...", "1.."))
        assert facts.open[at(3, "b2")[0]].groups == at(3, "a1")
        assert facts.open[at(3, "c3")[0]].groups == ()
        assert facts.closed == {}

    def test_tells_a_winning_stone(self):
        assert explained("square-grid-hex", ("..1", ".1.", "..."), "a1")[1].wins
        assert not explained("square-grid-hex", ("..1", ".1.", "..."), "c1")[1].wins


class TestSquareSquared:
    def test_closes_the_suicide_of_a_single_stone_by_superko(self):
        position, facts = explained("squaresquared", (".2..", "2...", "....", "...."))
        assert closed(position, facts) == {"a4": ("superko", "a4")}

    def test_tells_the_suicide_of_a_group(self):
        _, facts = explained("squaresquared", (".12.", "22..", "....", "...."))
        effect = facts.open[at(4, "a4")[0]]
        assert (effect.captured, effect.lost) == ((), at(4, "a4", "b4"))
        assert effect.groups == at(4, "b4")

    def test_tells_captures(self):
        _, facts = explained("squaresquared", ("21..", ".1..", "....", "...."))
        assert facts.open[at(4, "a3")[0]].captured == at(4, "a4")
