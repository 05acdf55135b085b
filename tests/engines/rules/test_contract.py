"""The contract of every registered ruleset (engines/rules/ruleset.py), independent of its rules."""

import dataclasses
import re
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.check import board_of
from engines.cli.perft import empty_board
from engines.rules.errors import IllegalTurn, NotationError
from engines.rules.notation import MAX_SIZE, PASS, RESIGN, SWAP
from engines.rules.registry import RULESETS, UnknownRuleset, find
from engines.rules.ruleset import SetupError, Steps
from tests.effort import examples

EVERY = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
SEEDS = st.integers(0, 2**32 - 1)
# Playouts on boards this small contain every kind of turn, and all turns of a position can be compared.
SMALL = 4
LONGEST_GAME = 2000


def playout(ruleset, size, seed):
    """Return the positions and the turns of a random game."""
    rng = Random(seed)
    positions, turns = [ruleset.start(size)], []
    while positions[-1].outcome is None:
        assert len(turns) < LONGEST_GAME
        turns.append(positions[-1].random_turn(rng))
        positions.append(positions[-1].play(turns[-1]))
    return positions, turns


def some_position(ruleset, seed):
    positions, _ = playout(ruleset, SMALL, seed)
    return Random(seed).choice(positions)


def key(position, turn):
    """Return what makes a turn distinct: its stones as a set, and its effects."""
    return frozenset(turn), position.after(turn)


def turns_by_steps(position):
    """Return every turn that `steps` can build, and check that it leads into no dead end."""
    found, waiting = [], [()]
    while waiting:
        partial = waiting.pop()
        steps = position.steps(partial)
        assert list(steps.next) == sorted(set(steps.next))
        assert steps.may_end or steps.next
        if steps.may_end:
            found.append(partial)
        waiting.extend((*partial, cell) for cell in steps.next)
    return found


class TestRegistry:
    def test_lists_the_rulesets_under_their_slugs(self):
        assert list(RULESETS)[:5] == ["scware", "ooscg-w", "squ", "square-grid-hex", "squaresquared"]
        assert all(find(slug) is ruleset for slug, ruleset in RULESETS.items())
        assert all(ruleset.slug == slug for slug, ruleset in RULESETS.items())

    def test_names_the_known_rulesets_for_an_unknown_one(self):
        with pytest.raises(UnknownRuleset, match=r"chess.*scware, ooscg-w, squ"):
            find("chess")


class TestSizes:
    @pytest.mark.parametrize(("sizes", "words"), [
        ((5,), "size 5"), ((5, 9), "sizes 5, 9"), ((9, 13, 19), "sizes 9, 13, 19"), ((5, 7), "sizes 5, 7"),
        (range(3, 8), "sizes 3 to 7"), (range(4, 9, 2), "sizes 4 to 8, even"), ((8, 9), "sizes 8 to 9"),
    ])
    def test_are_named_for_any_number_of_sizes(self, sizes, words):
        class Other(find("squ")):
            __slots__ = ()

        Other.sizes = sizes
        with pytest.raises(SetupError, match=f"^SQU is played on {words}, not on 2$"):
            Other.check_size(2)
        Other.check_size(sizes[0])
        assert empty_board(Other, sizes[0]).size == sizes[0]
        assert board_of(Other) in sizes


@EVERY
class TestEveryRuleset:
    def test_describes_itself(self, ruleset):
        assert all((ruleset.name, ruleset.designer, ruleset.summary, *ruleset.colours))
        assert len(set(ruleset.colours)) == 2
        assert {*ruleset.colours} <= {"black", "white", "red", "blue"}
        assert ruleset.drawn_on in ("cells", "points")

    def test_starts_on_an_empty_board_of_every_size(self, ruleset):
        assert ruleset.default_size in ruleset.sizes
        for size in ruleset.sizes:
            assert 2 <= size <= MAX_SIZE
            position = ruleset.start(size)
            assert (position.size, position.stones) == (size, bytes(size * size))
            assert (position.seat_to_move, position.outcome) == (0, None)
            assert position.steps(())
        assert ruleset.start() == ruleset.start(ruleset.default_size)

    @pytest.mark.parametrize("size", [-1, 0, 1, 20, 100])
    def test_refuses_other_sizes(self, ruleset, size):
        with pytest.raises(SetupError, match="sizes"):
            ruleset.start(size)

    @pytest.mark.parametrize("size", ["6", 6.0, b"6"])
    def test_refuses_a_size_that_is_no_whole_number(self, ruleset, size):
        with pytest.raises(SetupError, match=f"sizes .*: give the size as a whole number, not as {size!r}$"):
            ruleset.start(size)

    def test_prints_its_board(self, ruleset):
        assert str(ruleset.start(6)) == ruleset.start(6).text()

    @pytest.mark.parametrize("turn", [7, None, (1, "a"), {0}])
    def test_refuses_what_is_no_turn(self, ruleset, turn):
        with pytest.raises(NotationError, match=f"^a turn is a text .*, not '{re.escape(repr(turn))}'$"):
            ruleset.start(6).play(turn)

    @pytest.mark.parametrize("rows", [[], ["....", "....", "....", "..."], ["....", "....", "....", "...3"],
                                      ["....", "....", "....", ".. ."]])
    def test_refuses_rows_that_are_not_a_board(self, ruleset, rows):
        with pytest.raises(SetupError):
            ruleset.setup(rows)

    def test_is_frozen_hashable_and_equal_by_value(self, ruleset):
        position = ruleset.start(SMALL)
        assert position == ruleset.start(SMALL)
        assert hash(position) == hash(ruleset.start(SMALL))
        turn = position.random_turn(Random(1))
        assert position.play(turn) == position.play(turn) != position
        with pytest.raises(dataclasses.FrozenInstanceError):
            position.seat_to_move = 1

    @pytest.mark.parametrize("turn", [(), (0, 0), (PASS, PASS)])
    def test_refuses_text_that_is_never_a_turn(self, ruleset, turn):
        with pytest.raises(IllegalTurn):
            ruleset.start(SMALL).check(turn)

    @settings(max_examples=examples(30))
    @given(seed=SEEDS, cells=st.lists(st.integers() | st.integers(-SMALL**2, 2 * SMALL**2), min_size=1, max_size=3),
           at=st.integers(0, 2), off=st.integers(max_value=-4) | st.integers(min_value=SMALL**2), rows=st.booleans())
    def test_refuses_every_cell_that_is_off_the_board(self, ruleset, seed, cells, at, off, rows):
        position = some_position(ruleset, seed)
        if rows:
            position = ruleset.setup(position.rows(), position.seat_to_move)
        cells.insert(at, off)
        with pytest.raises(IllegalTurn) as refusal:
            position.play(tuple(cells))
        assert refusal.value.rule in ("off-board", "empty", "over")

    def test_names_the_cells_of_the_board(self, ruleset):
        for cell in (-7, 16):
            with pytest.raises(IllegalTurn, match=f"the 4×4 board has cells 0 to 15, not {cell}"):
                ruleset.start(SMALL).play((cell,))

    def test_refuses_an_occupied_cell(self, ruleset):
        position = ruleset.start(SMALL).play((5,))
        with pytest.raises(IllegalTurn, match="b2 is not empty") as refusal:
            position.check((5,) if position.steps((0,)).may_end else (5, 0))
        assert refusal.value.rule == "occupied"

    @settings(max_examples=10)
    @given(seed=SEEDS)
    def test_ends_every_random_playout(self, ruleset, seed):
        positions, turns = playout(ruleset, SMALL, seed)
        assert all(position.outcome is None for position in positions[:-1])
        assert positions[-1].outcome.winner in (0, 1, None)
        assert len(positions) == len(turns) + 1

    @settings(max_examples=6)
    @given(seed=SEEDS)
    def test_lists_and_builds_the_same_turns_all_legal(self, ruleset, seed):
        position = some_position(ruleset, seed)
        listed = list(position.legal_turns())
        keys = [key(position, turn) for turn in listed]
        assert len(set(keys)) == len(keys)
        built = turns_by_steps(position) if position.outcome is None else []
        assert {key(position, turn) for turn in built} == set(keys)
        assert all(position.is_legal(turn) for turn in (*listed, *built))
        assert bool(listed) == (position.outcome is None)

    @settings(max_examples=3)
    @given(seed=SEEDS)
    def test_accepts_no_unlisted_turn_of_up_to_two_cells(self, ruleset, seed):
        position = some_position(ruleset, seed)
        listed = {key(position, turn) for turn in position.legal_turns()}
        cells = range(SMALL * SMALL)
        for turn in ((PASS,), (SWAP,), *((cell,) for cell in cells), *permutations(cells, 2)):
            if position.is_legal(turn):
                assert key(position, turn) in listed

    @settings(max_examples=10)
    @given(seed=SEEDS)
    def test_describes_the_next_board_with_its_ops(self, ruleset, seed):
        positions, turns = playout(ruleset, SMALL, seed)
        for position, turn, following in zip(positions, turns, positions[1:], strict=False):
            board = bytearray(position.stones)
            for cell, seat in position.ops(turn):
                board[cell] = 0 if seat is None else seat + 1
            assert bytes(board) == following.stones

    @settings(max_examples=10)
    @given(seed=SEEDS)
    def test_reads_its_own_rows(self, ruleset, seed):
        for position in playout(ruleset, SMALL, seed)[0]:
            again = ruleset.setup(position.rows(), position.seat_to_move)
            assert (again.stones, again.seat_to_move) == (position.stones, position.seat_to_move)

    @settings(max_examples=5)
    @given(seed=SEEDS)
    def test_lets_only_the_mover_resign_and_only_before_the_end(self, ruleset, seed):
        *going_on, last = playout(ruleset, SMALL, seed)[0]
        for position in going_on:
            outcome = position.play((RESIGN,)).outcome
            assert (outcome.winner, outcome.reason) == (1 - position.seat_to_move, "resignation")
        with pytest.raises(IllegalTurn, match="over"):
            last.check((RESIGN,))

    @settings(max_examples=5)
    @given(seed=SEEDS)
    def test_offers_nothing_after_the_end(self, ruleset, seed):
        last = playout(ruleset, SMALL, seed)[0][-1]
        assert last.steps() == Steps((), may_end=False)
        assert not list(last.legal_turns())

    @settings(max_examples=5)
    @given(seed=SEEDS)
    def test_writes_the_turns_that_it_reads(self, ruleset, seed):
        position = some_position(ruleset, seed)
        for turn in position.legal_turns():
            text = position.format(turn)
            assert text == text.lower()
            assert key(position, position.parse(text)) == key(position, turn)
            assert position.canonical(position.canonical(turn)) == position.canonical(turn)

    @settings(max_examples=10)
    @given(seed=SEEDS)
    def test_notes_turns_in_phrases_that_it_lists(self, ruleset, seed):
        positions, turns = playout(ruleset, SMALL, seed)
        for position, turn, following in zip(positions, turns, positions[1:], strict=False):
            if note := position.note(turn, following):
                assert re.sub(r"\d+", "%(number)s", note.text, count=1) in ruleset.phrases
                assert {*note.marked} <= {*range(SMALL * SMALL)}

    def test_measures_positions_exactly_if_it_has_a_caption(self, ruleset):
        for size in ruleset.sizes:
            measure = ruleset.start(size).measure()
            assert bool(measure) == ("%(counts)s" in ruleset.caption)
            assert measure is None or measure.leader is None

    @settings(max_examples=10)
    @given(seed=SEEDS)
    def test_shows_the_stones_of_a_turn_before_it_ends(self, ruleset, seed):
        position = some_position(ruleset, seed)
        assert position.board_with(()) == position.stones
        for partial in position.steps().next:
            if partial >= 0:
                assert position.board_with((partial,))[partial] == position.seat_to_move + 1

    def test_can_draw_every_legal_turn_at_random(self, ruleset):
        position = playout(ruleset, SMALL, 5)[0][-4]
        every = {key(position, turn) for turn in position.legal_turns()}
        rng = Random(5)
        assert {key(position, position.random_turn(rng)) for _ in range(60 * len(every))} == every
