"""Counts of turn sequences from independent sources (tests/data/rules)."""

import json
from pathlib import Path

from engines.cli.perft import empty_board, perft
from engines.rules.registry import find

COUNTS = [json.loads(line) for line in
          (Path(__file__).parents[2] / "data/rules/perft.jsonl").read_text(encoding="utf-8").splitlines()]


class TestPerft:
    def test_matches_independent_counts(self):
        for known in COUNTS:
            position = empty_board(find(known["ruleset"]), known["size"])
            assert perft(position, len(known["counts"])) == known["counts"], known
