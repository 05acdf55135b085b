"""Positions with verdicts from independent sources (tests/data/rules)."""

import json
from pathlib import Path
from typing import Any

from engines.rules.games.ooscg_w import bonus_enough, most_bonus
from engines.rules.games.scware import Scware
from engines.rules.games.squ import largest_squ
from engines.rules.notation import PASS, parse_cell
from engines.rules.registry import find
from engines.rules.ruleset import Position

ENTRIES = json.loads((Path(__file__).parents[2] / "data/rules/positions.json").read_text(encoding="utf-8"))


def entries(key: str) -> list[dict[str, Any]]:
    return [entry for entry in ENTRIES if key in entry]


def position_of(entry: dict[str, Any]) -> Position:
    ruleset = find(entry["ruleset"])
    if issubclass(ruleset, Scware):
        return ruleset.setup(entry["rows"], entry["seat"], someone_has_grown=entry["someone_has_grown"])
    return ruleset.setup(entry["rows"], entry.get("seat", 0))


class TestPositionsFromOtherSources:
    def test_are_of_known_kinds(self):
        kinds = ("turn", "legal_turns", "largest_squ", "bonus_owed")
        assert all(any(kind in entry for kind in kinds) for entry in ENTRIES)

    def test_have_the_same_verdicts_on_turns(self):
        for entry in entries("turn"):
            position = position_of(entry)
            turn = position.parse(entry["turn"])
            assert position.is_legal(turn) == entry["legal"], entry
            if "rows_after" in entry:
                assert position.play(turn).rows() == entry["rows_after"], entry

    def test_have_the_same_turns(self):
        for entry in entries("legal_turns"):
            position = position_of(entry)
            turns = [position.format(turn) for turn in position.legal_turns() if turn != (PASS,)]
            assert sorted(turns) == sorted(entry["legal_turns"]), entry
            assert position.is_legal((PASS,)) == (not turns), entry

    def test_have_the_same_largest_squs(self):
        for entry in entries("largest_squ"):
            position = position_of(entry)
            squs = [largest_squ(position.stones, position.size, seat) for seat in (0, 1)]
            assert [squ.length if squ else 0 for squ in squs] == entry["largest_squ"], entry
            assert position.outcome.winner is None, entry

    def test_fit_the_same_number_of_bonus_stones(self):
        for entry in entries("bonus_owed"):
            size, seat, owed = entry["size"], entry["seat"], entry["bonus_owed"]
            stones = position_of(entry).stones
            assert most_bonus(stones, size, seat, owed) == entry["most_bonus"], entry
            for name in entry["not_enough_alone"]:
                assert not bonus_enough(stones, size, seat, owed, [parse_cell(name, size)]), entry
