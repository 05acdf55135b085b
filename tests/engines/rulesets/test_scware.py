from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.rules.errors import IllegalTurn
from engines.rules.games.scware import Scware
from engines.rules.grid import DIAGONAL, group_of, neighbours
from engines.rules.notation import PASS

SEEDS = st.integers(0, 2**32 - 1)


def after(size, *turns):
    position = Scware.start(size)
    for turn in turns:
        position = position.play(position.parse(turn))
    return position


def refusal(position, text):
    with pytest.raises(IllegalTurn) as caught:
        position.check(position.parse(text))
    return caught.value.rule


def playout(size, seed):
    """Return the positions of a random game, each except the first with the turn that led to it."""
    rng, position, turn = Random(seed), Scware.start(size), None
    yield position, turn
    while position.outcome is None:
        turn = position.random_turn(rng)
        position = position.play(turn)
        yield position, turn


def keeps_restriction(stones, size, seat):
    """Return whether all stones of a seat obey the restriction as the rules sheet states it."""
    return all(other in group_of(stones, cell, neighbours(size))
               for cell, stone in enumerate(stones) if stone == seat + 1
               for other in neighbours(size, DIAGONAL)[cell] if stones[other] == stone)


def legal_by_the_sheet(position, cells):
    """Return whether these empty cells are a legal turn, decided clause by clause."""
    stones, size, seat = position.stones, position.size, position.seat_to_move
    near = neighbours(size)
    grown = {cell: {frozenset(group_of(stones, by, near)) for by in near[cell] if stones[by] == seat + 1}
             for cell in cells}
    starts = [cell for cell in cells if not grown[cell]]
    growths = [cell for cell in cells if grown[cell]]
    if any(grown[one] & grown[other] for one, other in combinations(growths, 2)) or len(starts) > 1:
        return False
    if starts and growths and (seat == 0 or position.someone_has_grown or set(near[starts[0]]) & set(growths)):
        return False
    board = bytearray(stones)
    for cell in cells:
        board[cell] = seat + 1
    return keeps_restriction(board, size, seat)


def turns_by_the_sheet(position):
    """Return all legal turns as sets, found by trying every set of empty cells up to the largest size of a turn."""
    empty = [cell for cell, stone in enumerate(position.stones) if not stone]
    mine = position.seat_to_move + 1
    groups = {frozenset(group_of(position.stones, cell, neighbours(position.size)))
              for cell, stone in enumerate(position.stones) if stone == mine}
    return {frozenset(cells) for count in range(1, min(len(groups) + 1, len(empty)) + 1)
            for cells in combinations(empty, count) if legal_by_the_sheet(position, cells)}


def turns_by_steps(position):
    """Return all turns that `steps` builds, as sets; each set with the same last stone is tried in one order only."""
    found, seen, waiting = set(), set(), [()]
    while waiting:
        partial = waiting.pop()
        steps = position.steps(partial)
        assert steps.next or steps.may_end
        if steps.may_end:
            found.add(frozenset(partial))
        for cell in steps.next:
            if (state := (frozenset(partial), cell)) not in seen:
                seen.add(state)
                waiting.append((*partial, cell))
    return found


CORNERS = ["1.1..", ".....", ".....", ".....", "....."]
# Turns before, a turn, and the rule that it breaks on a board of five.
REFUSED = [
    ("", "e5,a1", "two-starts"),
    ("a5 e1 d5 e2", "b5,a4", "grown-twice"),
    ("a5 e1 a4 e2", "a3,c3", "start-with-growth"),
    ("a5 e1 a4 e2", "swap", "swap"),
    # The balancing turn is red's, once, before either side has grown; its start is away from its growth.
    ("a5 e1", "b5,d3", "start-with-growth"),
    ("e1 a5 e2", "b5,d3", "start-with-growth"),
    ("c1 a5 e3 a4 c5", "a3,e1", "start-with-growth"),
    ("e1 a5 e3", "d5,d2", "two-starts"),
    ("e1 a5 e3", "b5,d5,a1", "two-starts"),
    ("e1 a5 e3", "b5,c5", "start-touches"),
    ("e1 a5 e3", "b5,c4", "diagonal"),
]


class TestTurnOfScware:
    def test_is_refused_with_the_rule(self):
        assert [(refusal(after(5, *turns.split()), text), turns, text) for turns, text, _ in REFUSED] == [
            (rule, turns, text) for turns, text, rule in REFUSED]

    def test_starts_one_group_or_grows_each_group_by_one_stone(self):
        assert after(9, "e5").rows()[4] == "....1...."
        position = after(5, "a5", "e1", "d5", "e2")
        assert position.is_legal(position.parse("a4,d4"))

    def test_may_join_groups_with_one_stone_which_grows_both(self):
        position = Scware.setup(CORNERS)
        assert position.is_legal(position.parse("b5"))
        assert refusal(position, "b5,d5") == "grown-twice"

    def test_is_judged_as_a_whole_at_its_end(self):
        position = Scware.setup(["2221", "2121", "22.1", "11.2"], seat_to_move=1)
        assert refusal(position, "c1") == refusal(position, "c2") == "diagonal"
        assert position.is_legal(position.parse("c1,c2"))
        assert list(position.legal_turns()) == [position.parse("c1,c2")]
        assert position.steps().next == tuple(sorted(position.parse("c1,c2")))

    def test_names_the_cells_that_make_it_illegal(self):
        position = Scware.setup(CORNERS)
        with pytest.raises(IllegalTurn, match="b5 and d5 both grow the group of c5"):
            position.check(position.parse("b5,d5"))
        with pytest.raises(IllegalTurn, match="b4 and a5 would be diagonal"):
            position.check(position.parse("b4"))

    def test_is_written_with_growing_stones_in_order_and_the_starting_stone_last(self):
        position = Scware.setup(["2...2", ".....", ".....", ".....", "....."], seat_to_move=1)
        assert position.format(position.parse("A1,d5,b5")) == "b5,d5,a1"
        assert position.format((PASS,)) == "pass"


class TestBalancingTurn:
    def test_is_a_growth_and_a_start_written_in_any_order(self):
        position = after(5, "e1", "a5", "e3")
        for text in ("b5,d5", "d5,b5"):
            assert position.play(position.parse(text)).rows()[0] == "22.2."

    def test_offers_its_start_last(self):
        position = after(4, "a1", "a4", "d1")
        b4, d2, d4 = (position.parse(name)[0] for name in ("b4", "d2", "d4"))
        assert d4 in position.steps((b4,)).next
        assert position.steps((b4, d4)) == position.steps((d2,))
        assert position.steps((d2,)).next == ()


class TestPassOfScware:
    BLOCKED = ("2221", "2121", "22.1", "11.2")

    def test_is_forced_without_a_legal_turn(self):
        position = Scware.setup(self.BLOCKED)
        assert list(position.legal_turns()) == [(PASS,)]
        assert position.steps().next == (PASS,)
        assert position.steps((PASS,)).may_end
        assert position.random_turn(Random(1)) == (PASS,)
        assert position.play((PASS,)).seat_to_move == 1

    def test_is_illegal_if_there_is_a_legal_turn(self):
        assert refusal(Scware.setup(self.BLOCKED, seat_to_move=1), "pass") == "pass"
        with pytest.raises(IllegalTurn, match="c1,c2 is legal"):
            Scware.setup(self.BLOCKED, seat_to_move=1).check((PASS,))

    def test_twice_in_a_row_is_an_impasse(self):
        position = Scware.setup(["1111122", "1122222", "1121211", "21.2212", "22.1112", "2112212", "2211112"])
        once = position.play((PASS,))
        assert once.outcome is None
        outcome = once.play((PASS,)).outcome
        assert (outcome.winner, outcome.reason) == (None, "impasse")


class TestOutcomeOfScware:
    def test_is_a_win_for_joining_both_sides(self):
        north_south = after(4, "a1", "d1", "a2", "d2", "a3", "d3", "a4").outcome
        assert (north_south.winner, north_south.reason, north_south.cells) == (0, "connection", (12, 8, 4, 0))
        west_east = Scware.setup(["....", "2.22", "....", "...."], seat_to_move=1).play((9,)).outcome
        assert (west_east.winner, west_east.cells) == (1, (8, 9, 10, 11))

    def test_is_found_in_rows(self):
        assert Scware.setup(["....", "2222", "....", "...."]).outcome.winner == 1
        assert Scware.setup(["1222", "1222", "1222", "1222"]).outcome.winner == 0
        assert Scware.setup(["1222", "1222", "1222", ".222"]).outcome is None


class TestSetupOfScware:
    def test_infers_from_the_board_whether_a_side_has_grown(self):
        assert not Scware.setup(["1..2", "....", "1..2", "...."]).someone_has_grown
        assert Scware.setup(["1..2", "...2", "1...", "...."]).someone_has_grown

    def test_accepts_it_explicitly(self):
        assert Scware.setup(["1...", "....", "....", "...."], someone_has_grown=True).someone_has_grown


class TestScwareAgainstTheSheet:
    @settings(max_examples=12)
    @given(seed=SEEDS)
    def test_lists_builds_and_draws_exactly_the_legal_turns(self, seed):
        rng = Random(seed)
        for position, _ in playout(4, seed):
            if position.outcome is not None:
                break
            legal = turns_by_the_sheet(position) or {frozenset((PASS,))}
            assert {frozenset(turn) for turn in position.legal_turns()} == legal
            assert turns_by_steps(position) == legal
            assert {frozenset(position.random_turn(rng)) for _ in range(20)} <= legal
