"""The bot `champion`: the tree search of the native engine, and of Python without it."""

import pytest

from engines.native import native_position
from engines.rules.registry import RULESETS
from engines.sdk import Clock
from engines.search.champion import ChampionBot
from engines.search.searcher import SearcherBot
from tests.engines.bots.test_strength import wins


class TestChampion:
    @pytest.mark.slow
    @pytest.mark.parametrize("slug", RULESETS)
    def test_beats_a_shallow_searcher(self, native, slug):
        assert wins(slug, ChampionBot(1, 400), SearcherBot(2, 10), 4 if slug == "scware" else 2) >= 2

    @pytest.mark.parametrize("slug", RULESETS)
    def test_repeats_its_turn_with_the_same_seed(self, native, monkeypatch, slug):
        # A busy machine might not grow all leaves in a second.
        monkeypatch.setattr("engines.search.champion.seconds_for", lambda clock: 1e9)
        position = RULESETS[slug].start()
        first, second = (ChampionBot(7, 100) for _ in range(2))
        turn = first.choose(position, Clock())
        assert turn == second.choose(position, Clock())
        position.check(turn)
        assert first.view == second.view
        assert 0 <= first.view.win <= 1

    def test_stops_in_time(self, native):
        bot = ChampionBot(1)
        for slug, ruleset in RULESETS.items():
            assert ruleset.start().is_legal(bot.choose(ruleset.start(), Clock(0.4, 0.0))), slug

    def test_searches_as_searcher_does_without_the_native_engine(self, monkeypatch):
        monkeypatch.setattr("engines.native.available", lambda: False)
        position = RULESETS["squ"].start(6)
        assert ChampionBot(3, 30).choose(position, Clock()) == SearcherBot(3, 30).choose(position, Clock())


def illegal_turns(native, size, games, leaves):
    """Return what is illegal in games of SquareSquared between two searches, each with its own tree."""
    found = []
    for game in range(games):
        board = native.Position.start("squaresquared", size)
        searches = [native.Search(board, 2 * game + seat) for seat in (0, 1)]
        while not board.over:
            action = searches[board.seat].think(board, 1e9, leaves).action
            if action not in board.actions():
                found.append(f"size {size}, game {game}: action {action} on {board.stones.hex()}")
                break
            board.add(action)
    return found


class TestSearchInSquareSquared:
    """Whether superko forbids a stone depends on the boards before, which positions in one tree may not share."""

    def test_plays_only_legal_turns(self, native):
        assert not illegal_turns(native, 2, 20, 150)

    @pytest.mark.thorough
    @pytest.mark.slow
    @pytest.mark.parametrize("size", range(2, 7))
    def test_plays_only_legal_turns_in_many_games(self, native, size):
        assert not illegal_turns(native, size, 400, 540 // size**2)


def test_a_search_refuses_another_board(native):
    search = native.Search(native_position(RULESETS["squ"].start(6)), 1)
    with pytest.raises(ValueError, match="another ruleset or size"):
        search.think(native_position(RULESETS["squ"].start(8)), 1.0, 10)
