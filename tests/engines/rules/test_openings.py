"""Openings: legal, balanced, all different, and not repeated before all have been used."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.rules.errors import IllegalTurn
from engines.rules.notation import SWAP
from engines.rules.openings import ENOUGH, Bag, draw, openings
from engines.rules.registry import RULESETS, find
from engines.rules.ruleset import SetupError
from tests.effort import examples

EVERY = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
MIRRORED = pytest.mark.parametrize("slug", ["scware", "ooscg-w", "squaresquared"])
SEEDS = st.integers(0, 2**63 - 1)


def after(ruleset, size, opening):
    position = ruleset.start(size)
    for text in opening:
        position = position.play(position.parse(text))
    return position


def places(position, seat):
    """Return the cells of the seat's stones as (row, column)."""
    return {divmod(cell, position.size) for cell, stone in enumerate(position.stones) if stone == seat + 1}


class TestOpenings:
    @pytest.mark.slow
    @EVERY
    def test_leave_the_game_open_and_at_least_seven_eighths_of_the_board_empty(self, ruleset):
        for size in {*ruleset.sizes[:3], min(ruleset.default_size, 11)}:
            for opening in openings(ruleset, size):
                position = after(ruleset, size, opening)
                assert position.outcome is None
                assert sum(map(bool, position.stones)) <= size * size / 8

    @EVERY
    def test_are_numerous_and_distinct_on_the_default_board(self, ruleset):
        found = openings(ruleset, ruleset.default_size)
        assert len(found) >= ENOUGH
        assert len({after(ruleset, ruleset.default_size, opening).stones for opening in found}) == len(found)

    @pytest.mark.parametrize(("slug", "size"), [("squaresquared", 2), ("ooscg-w", 3), ("squ", 4)])
    def test_are_only_the_empty_one_on_the_smallest_boards(self, slug, size):
        assert openings(find(slug), size) == ((),)

    def test_are_refused_for_an_unsupported_board(self):
        with pytest.raises(SetupError):
            openings(find("squ"), 5)

    @pytest.mark.parametrize("slug", ["scware", "square-grid-hex", "squ"])
    def test_do_not_require_a_corner(self, slug):
        class CornersLater(find(slug)):
            __slots__ = ()

            def _check_stones(self, turn):
                if not any(self.stones) and self.format(turn) in corners:
                    raise IllegalTurn("corner", "the first stone is not placed in a corner")
                super()._check_stones(turn)

        size = CornersLater.default_size
        letter = "abcdefghjklmn"[size - 1]
        corners = ("a1", f"a{size}", f"{letter}1", f"{letter}{size}")
        found = openings(CornersLater, size)
        assert found == tuple(opening for opening in openings(find(slug), size) if opening[0] not in corners)
        assert len(found) >= ENOUGH

    def test_are_only_the_empty_one_if_the_first_turn_needs_two_stones(self):
        class TwoAtOnce(find("squ")):
            __slots__ = ()
            discs = 2

        assert openings(TwoAtOnce, 8) == ((),)

    @MIRRORED
    def test_are_symmetric_between_the_sides(self, slug):
        """A reflection or half turn that swaps the sides maps each colour's stones onto the other's."""
        ruleset = find(slug)
        for size in (5, 6):
            mirrors = [lambda r, c: (c, r), lambda r, c, top=size - 1: (top - c, top - r)]
            if not ruleset.has_goal_sides:
                mirrors += [lambda r, c, top=size - 1: (top - r, c), lambda r, c, top=size - 1: (r, top - c),
                            lambda r, c, top=size - 1: (top - r, top - c)]
            for opening in openings(ruleset, size):
                position = after(ruleset, size, opening)
                ours, theirs = places(position, 0), places(position, 1)
                assert any({mirror(*place) for place in ours} == theirs for mirror in mirrors), opening
                assert position.seat_to_move == 0

    def test_are_one_stone_near_the_edge_if_swapping_is_possible(self):
        ruleset = find("square-grid-hex")
        for opening in openings(ruleset, 11):
            position = after(ruleset, 11, opening)
            (row, column), = places(position, 0)
            assert min(row, column, 10 - row, 10 - column) < 2
            assert position.is_legal((SWAP,))

    def test_of_squ_are_three_discs_on_equivalent_cells(self):
        ruleset = find("squ")
        for opening in openings(ruleset, 8):
            position = after(ruleset, 8, opening)
            discs = [*places(position, 0), *places(position, 1)]
            assert (len(places(position, 0)), len(places(position, 1))) == (1, 2)
            assert len({tuple(sorted((min(row, 7 - row), min(column, 7 - column)))) for row, column in discs}) == 1


class TestADraw:
    @given(slug=st.sampled_from(list(RULESETS)), seed=SEEDS)
    def test_depends_only_on_the_seed_and_the_used_openings(self, slug, seed):
        ruleset = find(slug)
        used = openings(ruleset, ruleset.default_size)[:5]
        drawn = draw(ruleset, ruleset.default_size, seed, used)
        assert drawn == draw(ruleset, ruleset.default_size, seed, reversed(used))
        assert drawn not in used

    def test_of_a_seed_never_changes(self):
        """Records contain seeds, whose opening must not change with a version of Python or of this code."""
        assert draw(find("square-grid-hex"), 11, 7) == ("a2",)

    @given(seeds=st.lists(SEEDS, min_size=1, max_size=60), size=st.integers(4, 8))
    @settings(max_examples=examples(30))
    def test_repeats_no_opening_before_all_are_used(self, seeds, size):
        every = openings(find("square-grid-hex"), size)
        bag = Bag(every)
        for number, seed in enumerate(seeds, 1):
            bag.draw(seed)
            times = Counter(bag._times)
            assert max(times.values()) == -(-number // len(every))
            assert max(times.values()) - min(times.values()) <= 1

    @given(seeds=st.lists(SEEDS, min_size=1, max_size=40), cut=st.integers(0, 40))
    @settings(max_examples=examples(30))
    def test_continues_after_the_pairs_used_openings(self, seeds, cut):
        every = openings(find("scware"), 5)
        whole = Bag(every)
        drawn = [whole.draw(seed) for seed in seeds]
        again = Bag(every, reversed(drawn[:cut]))
        later = [again.draw(seed) for seed in seeds[cut:]]
        assert sorted(Counter(drawn[:cut] + later).values()) == sorted(Counter(drawn).values())

    def test_ignores_used_openings_that_no_longer_exist(self):
        assert draw(find("squ"), 4, 1, [("a1",), ()]) == ()
