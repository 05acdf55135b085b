"""Complete games with results from independent sources (tests/data/rules)."""

import json
from pathlib import Path

import pytest

from engines.cli.replay import replay_game
from engines.rules.registry import RULESETS

GAMES = [json.loads(line) for line in
         (Path(__file__).parents[2] / "data/rules/games.jsonl").read_text(encoding="utf-8").splitlines()]


class TestGamesFromOtherSources:
    def test_exist_for_every_ruleset(self):
        assert {game["ruleset"] for game in GAMES} >= set(RULESETS)

    @pytest.mark.parametrize("slug", sorted({game["ruleset"] for game in GAMES}))
    def test_end_with_the_same_result_and_not_earlier(self, slug):
        for game in GAMES:
            if game["ruleset"] == slug:
                before = replay_game(game | {"turns": game["turns"][:-1]})
                assert (before["error"], before["over"]) == (None, False), game
                end = replay_game(game)
                assert end["error"] is None, game
                assert (end["over"], end["winner"], end["reason"]) == (True, game["winner"], game["reason"]), game
