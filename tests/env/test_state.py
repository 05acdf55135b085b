"""One game, action by action: the numbers of actions, the planes, and refusals."""

from random import Random

import pytest

from engines.env.actions import action_count, action_name, action_of, end_turn, step_of
from engines.env.errors import IllegalAction
from engines.env.planes import PLANES, planes
from engines.env.state import State
from engines.rules.notation import PASS, SWAP
from engines.rules.registry import RULESETS


def played(slug: str, *actions: int, size: int, cap: int | None = None) -> State:
    """Return the state after these actions."""
    state = State.start(RULESETS[slug], size, cap)
    for action in actions:
        state = state.after(action)
    return state


class TestActions:
    def test_number_cells_then_words(self) -> None:
        assert [action_of(step, 3) for step in (0, 8, PASS, SWAP)] == [0, 8, 10, 11]
        assert [step_of(action, 3) for action in (0, 8, 10, 11)] == [0, 8, PASS, SWAP]
        assert (end_turn(3), action_count(3), action_name(9, 3)) == (9, 12, "end the turn")


class TestState:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_reaches_only_turns_that_the_rules_accept(self, slug: str) -> None:
        rng, state = Random(3), State.start(RULESETS[slug], 4)
        turns = 0
        while not state.over and turns < 60:
            before = state
            state = state.after(rng.choice(state.legal))
            if state.plies > before.plies:
                turns += 1
                assert state.position in {before.position.after(turn) for turn in before.position.legal_turns()}
        assert turns > 3

    def test_has_the_text_of_another_only_if_their_futures_are_equal(self) -> None:
        rng = Random(1)
        for slug, size, games in (("squaresquared", 3, 15), ("squ", 4, 15), ("scware", 4, 5), ("ooscg-w", 4, 5)):
            known: dict[str, tuple[object, ...]] = {}
            shared = 0
            for _ in range(games):
                state = State.start(RULESETS[slug], size)
                while not state.over:
                    position = state.position
                    future = (position.stones, state.legal, set(state.stones), state.plies, position.unseen,
                              getattr(position, "history", None))
                    shared += state.text() in known
                    assert known.setdefault(state.text(), future) == future, state.text()
                    state = state.after(rng.choice(state.legal))
            assert shared >= games - 1, slug

    def test_has_another_text_if_a_stone_took_another_way(self) -> None:
        """The boards are equal, but superko forbids other ones, and of two equal squares the first counts."""
        for slug, size, one, other in (("squaresquared", 3, (0, 1, 2), (2, 1, 0)),
                                       ("squ", 4, (0, 10, 11, 1, 4, 14, 15, 5, 2, 7, 8),
                                        (0, 10, 11, 1, 4, 14, 7, 5, 2, 15, 8))):
            first, second = (played(slug, *actions, size=size) for actions in (one, other))
            assert (first.position.stones, first.seat) == (second.position.stones, second.seat)
            assert first.text() != second.text(), slug

    def test_asks_to_end_a_turn_that_could_go_on(self) -> None:
        state = played("scware", 0, 15, 2, 12, 1, size=4)
        assert (state.stones, state.seat) == ((), 1)  # a1–b1–c1 is one group, so no second stone could grow
        state = played("scware", 0, 15, 8, 5, 1, size=4)
        assert state.stones == (1,)
        assert end_turn(4) in state.legal
        assert state.after(end_turn(4)).seat == 1

    def test_cuts_a_long_game_off(self) -> None:
        state = played("squaresquared", 0, 1, 2, size=3, cap=3)
        assert (state.over, state.truncated, state.terminated, state.rewards, state.legal) == (
            True, True, False, (0, 0), ())

    def test_rewards_the_winner(self) -> None:
        assert played("square-grid-hex", 0, 1, 3, 2, 6, size=3).rewards == (1, -1)
        assert played("squaresquared", 4, 0, 10, 10, size=3).rewards == (-1, 1)


class TestRefusal:
    @pytest.mark.parametrize(("slug", "actions", "action", "cell", "rule", "words"), [
        ("square-grid-hex", (0,), 0, 0, "occupied", "game 0: action 0 (a1) is outside the mask: a1 is not empty"),
        ("square-grid-hex", (), 11, None, "swap", r"action 11 \(swap\) .* only white may swap"),
        ("square-grid-hex", (), 9, None, "empty", "end the turn"),
        ("square-grid-hex", (), 12, None, "action", "has actions 0 to 11"),
        ("square-grid-hex", (), -5, None, "action", "has actions 0 to 11"),
        ("squaresquared", (1, 0, 3), 0, 0, "superko", "would only remove itself"),
        ("squaresquared", (10, 10), 0, 0, "over", "the game is over"),
        ("scware", (0,), 17, None, "pass", "only allowed without a legal turn"),
    ])
    def test_names_the_action_the_cell_and_the_rule(self, slug: str, actions: tuple[int, ...], action: int,
                                                     cell: int | None, rule: str, words: str) -> None:
        state = played(slug, *actions, size=4 if slug == "scware" else 3)
        with pytest.raises(IllegalAction, match=words.replace("(a1)", r"\(a1\)")) as refusal:
            state.after(action)
        assert (refusal.value.action, refusal.value.cell, refusal.value.rule) == (action, cell, rule)

    def test_says_what_an_unfinished_turn_forbids(self) -> None:
        turn = played("squ", 0, 1, size=4)
        assert turn.refusal(1).rule == "twice"
        assert turn.refusal(16).rule == "discs"
        assert turn.refusal(17).rule == "building"


class TestPlanes:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_have_names(self, slug: str) -> None:
        state = State.start(RULESETS[slug])
        assert len(planes(state)) == len(PLANES[slug])
        assert {len(plane) for plane in planes(state)} == {state.size**2}

    def test_show_the_board_from_the_view_of_the_seat_to_move(self) -> None:
        own, other, turn, seat, *marked = planes(played("squ", 5, 0, 1, 2, size=4))
        assert [cell for cell in range(16) if own[cell]] == [5]
        assert [cell for cell in range(16) if other[cell]] == [0, 1]
        assert [cell for cell in range(16) if turn[cell]] == [2]
        assert (set(seat), set(marked[0]), set(marked[1])) == ({0}, {0}, {0})

    def test_show_what_the_rules_of_each_game_need(self) -> None:
        # A square of two cells per side, made by seat 1, seen by seat 0 and then by seat 1.
        state = played("squ", 15, 0, 1, 11, 10, 4, 5, size=4)
        assert [plane[0] for plane in planes(state)[4:]] == [0, 2]
        assert [plane[0] for plane in planes(state.after(8).after(9))[4:]] == [2, 0]
        # A crosscut: seat 0's a1 and b2 against seat 1's a2 and b1, which are removed.
        removed = planes(played("ooscg-w", 0, 4, 15, 1, 5, size=4))[4]
        assert [cell for cell in range(16) if removed[cell]] == [1, 4]
        passed, closed = planes(played("squaresquared", 1, 0, 3, 10, size=3))[4:]
        assert (passed[0], [cell for cell in range(9) if closed[cell]]) == (1, [])
        assert [cell for cell in range(9) if planes(played("squaresquared", 1, 10, 3, size=3))[5][cell]] == [0]
        assert [plane[0] for plane in planes(played("scware", 0, 15, 1, size=4))[4:]] == [1, 0]
