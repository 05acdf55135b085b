"""The side that is ahead in the game's own terms (`Position.measure`), and the words for an ending (`Position.how`)."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.rules.distance import connection_measure
from engines.rules.grid import HEXAGONAL, ORTHOGONAL
from engines.rules.outcome import JOINED, SPOKEN, SPOKEN_DRAWS, Measure
from engines.rules.registry import RULESETS, find

SEEDS = st.integers(0, 2**32 - 1)
SIZE = 6
CONNECTION = [slug for slug, ruleset in RULESETS.items() if ruleset.has_goal_sides]


def playout(slug, seed, size=SIZE):
    """Return the positions of a random game, each with the turn that leads to it."""
    rng, position = Random(seed), find(slug).start(size)
    yield None, position
    while position.outcome is None:
        turn = position.random_turn(rng)
        position = position.after(turn)
        yield turn, position


def reference(position, seat, offsets, *, crosscuts):
    """Return the seat's distance by relaxing every step until nothing changes, straight from the definition."""
    size, stones = position.size, position.stones
    on = lambda row, column: 0 <= row < size and 0 <= column < size  # noqa: E731
    cost = {cell: int(stones[cell] == 0) for cell in range(size * size) if stones[cell] != 2 - seat}
    starts = (lambda cell: cell // size == size - 1) if seat == 0 else (lambda cell: cell % size == 0)
    far = {cell: price if starts(cell) else 999 for cell, price in cost.items()}
    for _ in range(size * size):
        for cell, price in cost.items():
            row, column = divmod(cell, size)
            steps = [(up, right, 0) for up, right in offsets]
            if crosscuts:
                steps += [(up, right, 1) for up in (-1, 1) for right in (-1, 1)
                          if on(row + up, column + right) and stones[(row + up) * size + column] == 2 - seat
                          and stones[row * size + column + right] == 2 - seat]
            for up, right, more in steps:
                if on(row + up, column + right):
                    near = (row + up) * size + column + right
                    far[cell] = min(far[cell], far.get(near, 999) + price + more)
    ends = [far[cell] for cell in cost if (cell // size == 0 if seat == 0 else cell % size == size - 1)]
    return best if (best := min(ends, default=999)) < 999 else None


class TestStonesToConnect:
    @pytest.mark.parametrize("slug", CONNECTION)
    @settings(max_examples=3)
    @given(seed=SEEDS)
    def test_are_those_of_the_definition(self, slug, seed):
        for _, position in playout(slug, seed, 5):
            crosscuts = slug == "ooscg-w"
            offsets = HEXAGONAL if slug == "square-grid-hex" else ORTHOGONAL
            assert position.measure().counts[0] == tuple(
                reference(position, seat, offsets, crosscuts=crosscuts) for seat in (0, 1))

    @pytest.mark.parametrize("slug", CONNECTION)
    @settings(max_examples=20)
    @given(seed=SEEDS)
    def test_are_0_exactly_if_the_seat_has_won_and_fall_by_at_most_one_per_stone(self, slug, seed):
        for (_, before), (turn, after) in pairwise(playout(slug, seed)):
            (old, new), mover = (before.measure().counts[0], after.measure().counts[0]), before.seat_to_move
            won = after.outcome.winner if after.outcome else None
            assert [count == 0 for count in new] == [seat == won for seat in (0, 1)]
            assert (new.index(None) == 1 - won) if won is not None else True
            if all(seat is not None for _, seat in before.ops(turn)) and turn[0] >= 0:
                assert old[mover] is None or new[mover] >= old[mover] - len(turn)
                assert new[1 - mover] is None or new[1 - mover] >= old[1 - mover]

    def test_are_none_for_a_seat_that_is_cut_off_unless_a_crosscut_opens_the_way(self):
        position = find("ooscg-w").setup(["....2", "...2.", "..2..", ".2...", "2...."])
        assert connection_measure(position.stones, 5) == Measure(((None, 4),), 1)
        # Four stones on the side of the diagonal, one across it, and one on a cell that the crosscut has cleared.
        assert position.measure() == Measure(((6, 4),), 1)


class TestSquares:
    @pytest.mark.parametrize(("rows", "said"), [
        (["1112", "2111", "1222", "2122"], "2–2: the square made first (b3–c4)"),
        (["2112", "2111", "2211", "2122"], "4–2: the larger square (a1–d4)"),
        (["2211", "2112", "2121", "1122"], "on a full board"),
    ])
    def test_are_named_at_the_end(self, rows, said):
        position = find("squ").setup(rows)
        how = position.how(position.outcome, 4, position.measure())
        assert str(how) == said


class TestRings:
    def test_are_named_from_the_edge(self):
        position = find("squaresquared").setup(["111..", ".121.", "22..1", ".222.", "2...."]).play((-1,)).play((-1,))
        assert position.measure() == Measure(((4, 2), (2, 5), (0, 0)), 0)
        how = position.how(position.outcome, 5, position.measure())
        assert str(how) == "4–2 on the outer ring"


class TestEndings:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_have_texts_that_a_site_can_translate(self, slug):
        *_, (_, last) = playout(slug, 1)
        for measure in (last.measure(), None):
            how = last.how(last.outcome, SIZE, measure)
            assert how.text in (*SPOKEN.values(), *SPOKEN_DRAWS.values(), *JOINED, *last.endings)
