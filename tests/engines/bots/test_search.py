"""What the searching bots rest on: distances, judges, random completions, the tree and its time."""

from itertools import product
from math import inf
from random import Random

import pytest

from engines.bots.greedy.main import GreedyBot
from engines.bots.searcher.main import SearcherBot
from engines.grid import ORTHOGONAL, neighbours
from engines.notation import PASS
from engines.registry import RULESETS
from engines.ruleset import Position
from engines.sdk import Clock
from engines.search.budget import Budget, seconds_for
from engines.search.estimate import estimator_for
from engines.search.fills import LANES, _joined, _winners
from engines.search.go_playouts import play_out, score
from engines.search.judge import judge_for, stones_with
from engines.search.paths import shares, shortest_paths
from engines.search.tree import END, Tree


def setup(slug: str, *rows: str, seat: int = 0) -> Position:
    return RULESETS[slug].setup(rows, seat)


def some_positions(slug: str, size: int, count: int) -> list[Position]:
    """Positions from random games, none of them over."""
    rng, positions = Random(3), []
    while len(positions) < count:
        position = RULESETS[slug].start(size)
        while position.outcome is None and len(positions) < count:
            positions.append(position)
            position = position.play(position.random_turn(rng))
    return positions


def fewest_stones(position: Position, seat: int) -> int:
    """How many empty cells must be the seat's for it to have won: all sets of cells tried."""
    empty = [cell for cell, stone in enumerate(position.stones) if not stone]
    best = len(position.stones) + 1
    for chosen in product((0, seat + 1), repeat=len(empty)):
        board = bytearray(position.stones)
        for cell, stone in zip(empty, chosen, strict=True):
            board[cell] = stone
        outcome = type(position)._from_stones(position.size, bytes(board), 0).outcome
        if outcome is not None and outcome.winner == seat:
            best = min(best, sum(map(bool, chosen)))
    return best


class TestShortestPaths:
    @pytest.mark.parametrize("seat", [0, 1])
    def test_need_as_many_stones_as_trying_all_sets_finds(self, seat: int) -> None:
        for position in some_positions("square-grid-hex", 3, 12):
            paths = shortest_paths(position.stones, 3, seat, hexagonal=True)
            assert paths.length == fewest_stones(position, seat), position.rows()

    def test_are_as_long_as_an_empty_board_is_wide(self) -> None:
        paths = shortest_paths(bytes(49), 7, 0, hexagonal=False)
        assert paths.length == 7
        assert [place.bit_count() for place in paths.tight] == [7] * 7

    def test_hang_on_the_only_gap(self) -> None:
        position = setup("scware", "..1.", "22.2", "..1.", "..1.")
        worth = shares(shortest_paths(position.stones, 4, 0, hexagonal=False), 4)
        assert worth[10] == 1.0
        assert max(worth[:10] + worth[11:]) < 1.0

    def test_are_none_for_a_seat_that_is_cut_off(self) -> None:
        position = setup("scware", "....", "2222", "....", "....", seat=0)
        paths = shortest_paths(position.stones, 4, 0, hexagonal=False)
        assert paths.length > 16
        assert not any(shares(paths, 4))


class TestJudges:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_rank_every_step_and_rate_every_position(self, slug: str) -> None:
        judge = judge_for(slug)
        for position in some_positions(slug, 6, 20):
            steps = position.steps().next
            ranks = judge.rank(position, (), steps)
            assert len(ranks) == len(steps)
            assert min(ranks) >= 0
            assert abs(judge.rate(position, 0)) < inf

    def test_of_squ_complete_the_largest_square(self) -> None:
        position = setup("squ", "1..1", ".2..", "..2.", "1...")
        steps = position.steps().next
        ranks = judge_for("squ").rank(position, (), steps)
        assert steps[ranks.index(max(ranks))] == 3

    def test_see_the_stones_that_a_crosscut_removes(self) -> None:
        position = setup("ooscg-w", ".....", ".....", ".12..", ".2...", ".....")
        assert stones_with(position, (7,)) == position.after((7, 0, 1)).stones.replace(b"\1\1", b"\0\0", 1)
        assert stones_with(position, (7, 6))[6:8] == b"\1\1"


class TestGreedy:
    def test_wins_when_one_stone_wins(self) -> None:
        position = setup("square-grid-hex", "..1..", ".21..", ".2...", "221..", "..1..")
        after = position.play(GreedyBot(1).choose(position, Clock()))
        assert after.outcome is not None

    def test_passes_to_win_after_a_pass(self) -> None:
        position = setup("squaresquared", "....", ".1..", "....", "1...", seat=1).play((PASS,))
        assert GreedyBot(1).choose(position, Clock()) == (PASS,)

    def test_never_passes_when_that_loses(self) -> None:
        position = setup("squaresquared", "....", ".1..", "....", "1...", seat=0).play((PASS,))
        assert GreedyBot(1).choose(position, Clock()) != (PASS,)


class TestFillings:
    @pytest.mark.parametrize("slug", ["square-grid-hex", "squ"])
    def test_have_the_winners_that_the_rules_give_full_boards(self, slug: str) -> None:
        rng, size = Random(4), 6
        cells = [rng.getrandbits(LANES) for _ in range(size * size)]
        won, lost = _winners(cells, RULESETS[slug].start(size), rng)
        for lane in range(LANES):
            stones = bytes(2 - (cell >> lane & 1) for cell in cells)
            outcome = RULESETS[slug]._from_stones(size, stones, 0).outcome
            if slug == "squ" and not (won | lost) >> lane & 1:
                continue  # both have a largest square of the same size: the order of play decides
            assert (won >> lane & 1, lost >> lane & 1) == (outcome.winner == 0, outcome.winner == 1)

    def test_have_exactly_one_winner_where_crosscuts_are_drawn_by_lot(self) -> None:
        rng, size = Random(5), 5
        cells = [rng.getrandbits(LANES) for _ in range(size * size)]
        rising = [rng.getrandbits(LANES) for _ in cells]
        everywhere = (1 << LANES) - 1
        won = _joined(cells, size, neighbours(size, ORTHOGONAL), rising)
        # The other side's view: the board turned by a quarter, where rising diagonals fall.
        turned = [everywhere ^ cells[column * size + size - 1 - row] for row in range(size) for column in range(size)]
        falling = [0] * len(cells)
        for row in range(size - 1):
            for column in range(size - 1):
                falling[row * size + column] = everywhere ^ rising[column * size + size - 2 - row]
        assert won ^ _joined(turned, size, neighbours(size, ORTHOGONAL), falling) == everywhere

    @pytest.mark.parametrize("slug", RULESETS)
    def test_give_chances(self, slug: str) -> None:
        for position in some_positions(slug, 6, 10):
            steps = position.steps().next
            estimate = estimator_for(slug).estimate(position, (), steps, Random(1))
            assert len(estimate.after) == len(steps)
            assert all(0 <= chance <= 1 for chance in (estimate.value, *estimate.after))

    def test_know_who_is_ahead(self) -> None:
        ahead = setup("square-grid-hex", "..1..", "..1..", "..1..", ".....", "..1..", seat=0)
        behind = setup("square-grid-hex", "..1..", "..1..", "..1..", ".....", "..1..", seat=1)
        values = [estimator_for("square-grid-hex").estimate(position, (), (), Random(1)).value
                  for position in (ahead, behind)]
        assert values[0] > 0.8
        assert values[1] < 0.2


class TestGoPlayouts:
    def test_never_lose_a_group_with_two_eyes(self) -> None:
        alive = setup("squaresquared", ".1.11", "11111", "22222", ".....", ".....")
        own, other = (sum(1 << cell for cell, stone in enumerate(alive.stones) if stone == disc) for disc in (1, 2))
        for seed in range(20):
            after_own, after_other = play_out(own, other, 5, Random(seed))
            assert after_own & own == own
            assert not after_own & after_other

    def test_are_scored_ring_by_ring(self) -> None:
        assert score(0b1, 0b10, 3) == 0.5
        assert score(0b1 | 1 << 4, 0b10, 3) == 1.0
        assert score(0, 0b10, 3) == 0.0


class TestTree:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_has_only_steps_that_the_rules_offer(self, slug: str) -> None:
        tree = Tree(RULESETS[slug].start(5 if slug != "squ" else 4), judge_for(slug), estimator_for(slug), Random(1))
        for _ in range(60):
            tree.grow()
        nodes, seen = [tree.root], 0
        for node in nodes:
            seen += 1
            steps = node.position.steps(node.partial)
            if node.position.outcome is None:
                assert node.steps == (*steps.next, *([END] if steps.may_end else []))
            assert sum(node.visits) <= tree.leaves
            nodes += [child for child in node.children if child is not None]
        assert seen > 40
        assert tree.leaves == sum(tree.root.visits) == 60

    def test_sees_a_win_in_one(self) -> None:
        position = setup("ooscg-w", "..1..", "..1..", ".2...", "221..", "..1..")
        assert position.play(SearcherBot(1, 60).choose(position, Clock())).outcome is not None

    def test_answers_at_once_when_it_has_no_time(self) -> None:
        position = RULESETS["scware"].start(9)
        assert position.is_legal(SearcherBot(1).choose(position, Clock(0.0, 0.0)))

    def test_repeats_itself_when_given_a_seed(self) -> None:
        position = RULESETS["squ"].start(6)
        assert SearcherBot(7, 20).choose(position, Clock()) == SearcherBot(7, 20).choose(position, Clock())


class TestBudget:
    @pytest.mark.parametrize("remaining", [0.0, 0.05, 0.1, 0.3, 1.0, 10.0, 300.0])
    @pytest.mark.parametrize("increment", [0.0, 0.1, 1.0, 30.0])
    def test_never_spends_what_is_not_there(self, remaining: float, increment: float) -> None:
        assert 0 <= seconds_for(Clock(remaining, increment)) <= max(0.0, 0.8 * (remaining - 0.1))

    def test_grows_with_the_time_and_the_increment(self) -> None:
        assert seconds_for(Clock(10, 0)) < seconds_for(Clock(20, 0)) < seconds_for(Clock(20, 1))

    def test_is_a_second_without_a_clock_and_endless_with_a_count_of_leaves(self) -> None:
        assert Budget(Clock()).seconds == 1.0
        assert Budget(Clock(), 10).seconds == inf
        assert Budget(Clock(), 10).spent(10) == 1.0
        assert Budget(Clock(0.0), 10).spent(0) == 1.0
