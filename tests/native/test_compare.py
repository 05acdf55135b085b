"""The native engine has the rules of the Python engine: positions of random games, and counts of turns.

Fifty thousand positions every day, and a million with `selftest --all`.
"""

import json
from pathlib import Path
from random import Random

import pytest

from engines.native import native_position
from engines.rules.games.squaresquared import SquareSquared
from engines.rules.registry import RULESETS
from tests.effort import ALL
from tests.native.compare import compare, portions
from tests.native.side_by_side import Difference, Game

# Set this to another number to compare other games.
SEED = 20
POSITIONS = 1_000_000 if ALL else 50_000
COUNTS = [json.loads(line) for line in
          (Path(__file__).parents[1] / "data/rules/perft.jsonl").read_text(encoding="utf-8").splitlines()]


class TestComparison:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_finds_no_difference(self, native, slug):
        for ruleset, size, positions in portions(POSITIONS):
            assert ruleset != slug or compare(slug, size, positions, SEED) >= positions

    def test_covers_the_promised_number_of_positions_of_every_ruleset(self):
        assert sum(positions for _, _, positions in portions(POSITIONS)) >= POSITIONS
        assert {slug for slug, _, _ in portions(POSITIONS)} == {*RULESETS}

    def test_shows_a_difference_with_the_turns_and_the_seed(self, native):
        position = SquareSquared.start(3).play((4,))
        game = Game(SquareSquared.start(3), native_position(position), Random(1), 7, ["b2"])
        with pytest.raises(Difference, match=r"squaresquared 3, seed 7: next steps: (.|\n)*turns: b2\n\.\.\."):
            list(game.positions())


class TestPerft:
    def test_matches_independent_counts(self, native):
        for known in COUNTS:
            position = native.Position.start(known["ruleset"], known["size"])
            assert position.perft(len(known["counts"])) == known["counts"], known
