"""The parts of the searching bots: distances, evaluators, random playouts, the tree and its time budget."""

from math import inf
from random import Random

import pytest

from engines import notation, ruleset
from engines.rules.notation import PASS, parse_turn
from engines.rules.registry import RULESETS
from engines.rules.ruleset import Position
from engines.sdk import Clock
from engines.search.budget import Budget, seconds_for
from engines.search.estimate import estimator_for
from engines.search.games.go_playouts import play_out, score
from engines.search.games.pairs import pairs_on
from engines.search.games.paths import distance, shares, shortest_paths
from engines.search.general import GeneralJudge, Playouts
from engines.search.judge import Evaluator, Judge, judge_for
from engines.search.searcher import AnchorBot, SearcherBot
from engines.search.tree import END, Tree
from tests.engines.bots.in_process import reference_bot


def setup(slug: str, *rows: str, seat: int = 0) -> Position:
    return RULESETS[slug].setup(rows, seat)


def some_positions(slug: str, size: int, count: int) -> list[Position]:
    """Return positions from random games that are not over."""
    rng, positions = Random(3), []
    while len(positions) < count:
        position = RULESETS[slug].start(size)
        while position.outcome is None and len(positions) < count:
            positions.append(position)
            position = position.play(position.random_turn(rng))
    return positions


def best_value(position: Position) -> float:
    """Return the value of perfect play for the seat to move, found by exhaustive search."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return 0.5 if winner is None else float(winner == position.seat_to_move)
    return max(1 - best_value(position.after(turn)) for turn in position.legal_turns())


class TestShortestPaths:
    def test_pass_through_the_only_gap(self) -> None:
        position = setup("scware", "..1.", "22.2", "..1.", "..1.")
        worth = shares(position.stones, 4, 0, hexagonal=False)
        assert worth[10] == 1.0
        assert max(worth[:10] + worth[11:]) < 1.0

    def test_do_not_exist_for_a_seat_that_is_cut_off(self) -> None:
        position = setup("scware", "....", "2222", "....", "....", seat=0)
        paths = shortest_paths(position.stones, 4, 0, hexagonal=False)
        assert paths.length > 16
        assert not any(shares(position.stones, 4, 0, hexagonal=False))
        assert distance(position.stones, 4, 0, hexagonal=False) > 16


class TestEvaluators:
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
        assert position.board_with((7,)) == position.after((7, 0, 1)).stones.replace(b"\1\1", b"\0\0", 1)
        assert position.board_with((7, 6))[6:8] == b"\1\1"


class TestTheGeneralExperts:
    """The experts used for a ruleset that brings none of its own."""

    @pytest.mark.parametrize("slug", RULESETS)
    def test_rank_rate_and_sample_positions_of_any_ruleset(self, slug: str) -> None:
        judge, estimator = GeneralJudge(), Playouts()
        for position in some_positions(slug, 4, 5):
            steps = position.steps().next
            assert judge.rank(position, (), steps) == [1.0] * len(steps)
            rated = judge.rate(position, 1 - position.seat_to_move)
            assert 0 <= rated <= 1
            assert judge.rate(position, 1 - position.seat_to_move) == rated
            sample = estimator.sample(position, (), Random(1))
            assert all(0 <= chance <= 1 for chance in (sample.value, *sample.after(steps)))

    def test_serve_a_ruleset_without_its_own(self) -> None:
        assert isinstance(judge_for("chess"), GeneralJudge)
        assert isinstance(estimator_for("chess"), Playouts)


class TestTheNamesThatUploadsImport:
    def test_include_the_judge_of_older_archives_of_greedy(self) -> None:
        assert Judge is Evaluator

    def test_include_turns_and_positions_in_their_old_places(self) -> None:
        assert notation.parse_turn is parse_turn
        assert ruleset.Position is Position


class TestStaticEvaluations:
    @pytest.mark.parametrize("slug", ["scware", "ooscg-w", "square-grid-hex"])
    def test_see_an_immediate_win_only_if_one_stone_wins(self, slug: str) -> None:
        judge, seen = judge_for(slug), 0
        for position in some_positions(slug, 5, 150):
            wins = any(position.after((cell,)).outcome is not None for cell, stone in enumerate(position.stones)
                       if not stone and position.is_legal((cell,)))
            glance = judge.glance(position, ())
            # A stone of OOSCG-W that still requires bonus stones is not a complete turn, but can already win.
            assert glance.wins >= wins if slug == "ooscg-w" else glance.wins == wins, position.rows()
            assert 0 <= glance.chance <= 1
            seen += wins
        assert seen > 5


class TestGreedy:
    def test_wins_when_one_stone_wins(self) -> None:
        position = setup("square-grid-hex", "..1..", ".21..", ".2...", "221..", "..1..")
        after = position.play(reference_bot("greedy", 1).choose(position, Clock()))
        assert after.outcome is not None

    def test_passes_to_win_after_a_pass(self) -> None:
        position = setup("squaresquared", "....", ".1..", "....", "1...", seat=1).play((PASS,))
        assert reference_bot("greedy", 1).choose(position, Clock()) == (PASS,)

    def test_never_passes_when_that_loses(self) -> None:
        position = setup("squaresquared", "....", ".1..", "....", "1...", seat=0).play((PASS,))
        assert reference_bot("greedy", 1).choose(position, Clock()) != (PASS,)


class TestPairs:
    def test_of_hex_are_bridges_and_edge_templates_of_the_second_row(self) -> None:
        bridge = setup("square-grid-hex", ".....", "...1.", ".....", "..1..", ".....")
        assert set(map(frozenset, pairs_on(bridge.stones, 5, hexagonal=True))) == {
            frozenset({12, 13}), frozenset({1, 2}), frozenset({23, 24})}
        assert pairs_on(setup("square-grid-hex", ".....", "..2..", ".....", "..2..", ".....").stones, 5,
                        hexagonal=True) == []


class TestFillings:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_return_probabilities(self, slug: str) -> None:
        for position in some_positions(slug, 6, 10):
            steps = position.steps().next
            sample = estimator_for(slug).sample(position, (), Random(1))
            chances = sample.after(steps)
            assert len(chances) == len(steps)
            assert all(0 <= chance <= 1 for chance in (sample.value, *chances))


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
            if node.steps:
                assert sorted(node.steps) == sorted((*steps.next, *([END] if steps.may_end else [])))
            assert sum(node.visits) == node.visited <= tree.leaves
            nodes += [child for child in node.children if child is not None]
        assert seen > 40
        assert tree.leaves == sum(tree.root.visits) == 60

    @pytest.mark.parametrize("slug", ["scware", "squ"])
    def test_recognises_the_same_stones_in_another_order(self, slug: str) -> None:
        position = RULESETS[slug].start(4)
        while len(position.stones) - position.stones.count(0) < 5:
            position = position.play(position.random_turn(Random(2)))
        tree = Tree(position, judge_for(slug), estimator_for(slug), Random(1))
        for _ in range(300):
            tree.grow()
        ends = [node.position for node in tree.root.turns.values() if not node.partial]
        assert len({end.stones for end in ends}) == len(ends) > 4

    @pytest.mark.parametrize("slug", RULESETS)
    def test_keeps_the_subtree_of_the_turns_played(self, slug: str) -> None:
        position = RULESETS[slug].start(4)
        tree = Tree(position, judge_for(slug), estimator_for(slug), Random(1))
        for _ in range(300):
            tree.grow()
        over, turn = False, ()
        while not over:
            step, over = tree.descend()
            turn = turn if step == END else (*turn, step)
        position = position.play(turn)
        assert tree.root.position == position
        seen = max((node for node in tree.root.turns.values() if not node.partial), key=lambda node: node.visited)
        assert tree.follow(seen.position)
        assert tree.root is seen
        assert not tree.follow(RULESETS[slug].start(4))

    @pytest.mark.slow
    @pytest.mark.parametrize("slug", ["scware", "ooscg-w", "squ", "square-grid-hex"])
    def test_proves_only_values_that_an_exhaustive_search_confirms(self, slug: str) -> None:
        rng, certain = Random(3), 0
        size, turns = (4, 6) if slug == "squ" else (3, 4)
        while certain < 8:
            position = RULESETS[slug].empty(size)
            for _ in range(rng.randrange(turns - 1, turns + 1)):
                if position.outcome is None:
                    position = position.play(position.random_turn(rng))
            if position.outcome is not None:
                continue
            tree = Tree(position, judge_for(slug), estimator_for(slug), rng)
            while not tree.is_decided and tree.leaves < 150:
                tree.grow()
            if tree.root.proof is not None:
                certain += 1
                assert tree.root.proof == best_value(position), position.rows()

    def test_sees_a_win_in_one(self) -> None:
        position = setup("ooscg-w", "..1..", "..1..", ".2...", "221..", "..1..")
        assert position.play(SearcherBot(1, 60).choose(position, Clock())).outcome is not None

    def test_answers_at_once_without_time(self) -> None:
        position = RULESETS["scware"].start(9)
        assert position.is_legal(SearcherBot(1).choose(position, Clock(0.0, 0.0)))


class TestSearcher:
    def test_stops_growing_before_its_memory_is_full(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("engines.search.searcher._MOST_ROOM", 400_000)
        bot, position = SearcherBot(1), RULESETS["square-grid-hex"].start(7)
        for _ in range(2):
            position = position.play(bot.choose(position, Clock(3600.0)))
            assert 400_000 <= bot._tree.room < 410_000

    def test_skips_leaves_that_cannot_change_its_choice(self) -> None:
        position = setup("square-grid-hex", "..1..", ".21..", ".....", "221..", "..1..")
        bot = SearcherBot(1, 100_000)
        bot.choose(position, Clock())
        assert bot._tree.leaves < 1000


class TestBudget:
    @pytest.mark.parametrize("remaining", [0.0, 0.05, 0.1, 0.3, 1.0, 10.0, 300.0])
    @pytest.mark.parametrize("increment", [0.0, 0.1, 1.0, 30.0])
    def test_never_exceeds_the_remaining_time(self, remaining: float, increment: float) -> None:
        assert 0 <= seconds_for(Clock(remaining, increment)) <= max(0.0, 0.8 * (remaining - 0.1))

    def test_grows_with_the_time_and_the_increment(self) -> None:
        assert seconds_for(Clock(10, 0)) < seconds_for(Clock(20, 0)) < seconds_for(Clock(20, 1))

    def test_is_a_second_without_a_clock_and_unlimited_with_a_leaf_count(self) -> None:
        assert Budget(Clock()).seconds == 1.0
        assert Budget(Clock(), 10).seconds == inf
        assert Budget(Clock(), 10).spent(10) == 1.0
        assert Budget(Clock(0.0), 10).spent(0) == 1.0
        assert Budget(Clock(10, 0), 10).seconds > Budget(Clock(10, 0)).seconds


class TestAnchors:
    def test_grow_the_same_number_of_leaves_with_and_without_a_clock(self) -> None:
        position = RULESETS["square-grid-hex"].start(5)
        leaves = []
        for clock in (Clock(), Clock(600.0, 1.0)):
            bot = AnchorBot(1, 3)
            bot.choose(position, clock)
            leaves.append(bot._tree.leaves)
        assert leaves[0] == leaves[1] <= 40
