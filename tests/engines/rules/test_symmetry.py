"""Places of the explorer: a game and its images under a ruleset's symmetries are the same game."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.rules.registry import find
from engines.rules.symmetry import END, EXPLORED_PLIES, path, place, table

GAMES = {"scware": (4, 7), "ooscg-w": (3, 7), "squ": (4, 6), "square-grid-hex": (3, 7), "squaresquared": (2, 5)}
SEEDS = st.integers(0, 2**63 - 1)


def random_game(slug, size, seed):
    """Return the positions and turns of a game of random turns, with at most 60 turns."""
    dice, positions, turns = Random(seed), [find(slug).start(size)], []
    while positions[-1].outcome is None and len(turns) < 60:
        turns.append(positions[-1].random_turn(dice))
        positions.append(positions[-1].play(turns[-1]))
    return positions, turns


def image(turn, cells):
    return tuple(cells[cell] if cell >= 0 else cell for cell in turn)


def keys(slug, size, turns):
    return list(path(find(slug), size, turns.split()))


@given(slug=st.sampled_from(sorted(GAMES)), larger=st.booleans(), seed=SEEDS, which=st.integers(0, 7))
def test_image_of_a_game_has_the_same_steps_and_the_same_end(slug, larger, seed, which):
    size = GAMES[slug][larger]
    positions, turns = random_game(slug, size, seed)
    symmetries = find(slug).symmetries
    cells = table(symmetries[which % len(symmetries)], size)
    position = find(slug).start(size)
    for ply, (original, turn) in enumerate(zip(positions, turns, strict=False)):
        here, there = place(original, ply), place(position, ply)
        mirrored = image(turn, cells)
        assert there.key == here.key
        step = here.step(original, turn)
        assert there.step(position, mirrored) == step
        # The step leads from each image to the same place, which earlier boards may forbid for some of its turns.
        turns_there = there.turns(position, step)
        assert set(mirrored) in map(set, turns_there)
        ends = {place(position.play(one), ply + 1).key for one in turns_there if position.is_legal(one)}
        position = position.play(mirrored)
        assert ends == {place(position, ply + 1).key} == {place(positions[ply + 1], ply + 1).key}
    assert (position.outcome is None) == (positions[-1].outcome is None)
    if position.outcome is not None:
        assert (position.outcome.winner, position.outcome.reason) == (
            positions[-1].outcome.winner, positions[-1].outcome.reason)


@pytest.mark.parametrize("slug", GAMES)
def test_distinct_positions_have_distinct_keys(slug):
    """Compare the keys with whole orbits, computed with the tables alone."""
    size, found = GAMES[slug][0], {}
    tables = [table(symmetry, size) for symmetry in find(slug).symmetries]
    for seed in range(60):
        for ply, position in enumerate(random_game(slug, size, seed)[0]):
            orbit = frozenset(bytes(position.stones[cell] for cell in cells) for cells in tables)
            what = (ply, position.seat_to_move, position.unseen, orbit)
            assert found.setdefault(place(position, ply).key, what) == what
    assert len(set(found.values())) == len(found)


def test_key_never_changes():
    """Stored keys must not change with a version of Python or of this code."""
    assert keys("squ", 4, "a1 b1,c2") == [
        (-9052163949602645209, "a1"), (-7988615317913930672, "c2,d3"), (-8267764670383711302, END)]


def test_transpositions_lead_to_one_place():
    assert keys("square-grid-hex", 5, "a1 c3 b2 d4")[4] == keys("square-grid-hex", 5, "b2 d4 a1 c3")[4]
    assert keys("square-grid-hex", 5, "a1 c3 b2 d4")[2] != keys("square-grid-hex", 5, "b2 d4 a1 c3")[2]


def test_swapped_stone_is_not_the_first_players():
    assert keys("square-grid-hex", 5, "b4 swap")[2][0] not in {
        key for cell in ("b4", "d2") for key, _ in keys("square-grid-hex", 5, cell)}


def test_end_follows_the_last_explored_ply():
    turns = " ".join(f"{column}{row}" for row in (1, 3, 5) for column in "abcdefg")
    assert len(keys("square-grid-hex", 7, turns)) == EXPLORED_PLIES + 1
    assert keys("square-grid-hex", 7, turns)[-1][1] == END
    assert [step for _, step in keys("squaresquared", 5, "pass pass")] == ["pass", "pass", END]
