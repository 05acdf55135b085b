"""Relative strength of the reference bots on small boards with fixed seeds; bench/bots/strength.py has all results."""

import pytest

from engines.check import size_up_to
from engines.rules.registry import RULESETS
from engines.sdk import Bot, Clock
from engines.search.searcher import SearcherBot
from tests.engines.bots.in_process import reference_bot

SMALL = {slug: 5 if slug == "squaresquared" else size_up_to(ruleset, 6) for slug, ruleset in RULESETS.items()}


def winner(slug: str, bots: tuple[Bot, Bot]) -> int | None:
    position = RULESETS[slug].start(SMALL[slug])
    for _ in range(400):
        if position.outcome is not None:
            return position.outcome.winner
        position = position.play(bots[position.seat_to_move].choose(position, Clock()))
    return None


def wins(slug: str, first: Bot, second: Bot, games: int) -> int:
    """Return the number of games that the first bot wins; seats alternate."""
    return sum(winner(slug, (first, second) if game % 2 == 0 else (second, first)) == game % 2 for game in range(games))


class TestStrength:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_of_greedy_is_far_above_that_of_random(self, slug: str) -> None:
        assert wins(slug, reference_bot("greedy", 1), reference_bot("random", 2), 6) == 6  # by chance: 1.6 %

    @pytest.mark.parametrize("slug", RULESETS)
    def test_of_montecarlo_is_above_that_of_random_even_without_the_native_engine(self, slug: str, monkeypatch) -> None:
        monkeypatch.setattr("engines.native.available", lambda: False)
        assert wins(slug, reference_bot("montecarlo", 1, 30), reference_bot("random", 2), 2) == 2

    @pytest.mark.parametrize("slug", RULESETS)
    def test_of_searcher_is_far_above_that_of_random(self, slug: str) -> None:
        assert wins(slug, SearcherBot(1, 20), reference_bot("random", 2), 2) == 2
