"""Games as SGF: another program reads the same game."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from engines.records.record import EndedBy, Fault, GameRecord, Result, SeatRecord, TurnRecord, name_cells, verify
from engines.records.sgf import NoSgf, sgf
from engines.records.time_control import ClockKind, TimeControl
from engines.rules.outcome import Ending, Forfeit
from engines.rules.registry import RULESETS, find
from tests.factories import random_record

GAMES = ("square-grid-hex", "squaresquared")
GNUGO = Path("/usr/games/gnugo")
Node = dict[str, list[str]]


def parsed(text: str) -> list[Node]:
    """Return the nodes of one game tree without variations, with escapes resolved, by SGF's grammar alone."""
    assert text.startswith("(")
    assert text.rstrip().endswith(")")
    nodes: list[Node] = []
    rest = text.strip()[1:-1]
    while rest := rest.lstrip():
        assert rest[0] == ";"
        rest, node = rest[1:].lstrip(), {}
        while found := re.match(r"([A-Z]{1,2})((?:\s*\[(?:\\.|[^\]\\])*\])+)\s*", rest, re.DOTALL):
            assert found[1] not in node, "a property occurs once per node"
            values = re.findall(r"\[((?:\\.|[^\]\\])*)\]", found[2], re.DOTALL)
            node[found[1]] = [re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for value in values]
            rest = rest[found.end():]
        nodes.append(node)
    return nodes


def turns_of(nodes: list[Node], size: int, *, is_hex: bool) -> list[str]:
    """Return the turns as a reader of SGF understands them, in our notation."""
    columns = "abcdefghjklmnopqrst"
    turns = []
    for node in nodes[1:]:
        if "AW" in node:
            turns.append("swap")
            continue
        (value,) = node.get("B") or node.get("W") or [""]
        if value in ("", "resign"):
            turns.append("resign" if "resigns" in node.get("C", [""])[0] else "pass")
        else:
            row = int(value[1:]) - 1 if is_hex else ord(value[1]) - ord("a")
            turns.append(f"{columns[ord(value[0]) - ord('a')]}{size - row}")
    return turns


def by_turns(ruleset: str, size: int, turns: list[str], **facts: object) -> GameRecord:
    """Return a game of these turns, ended by the rules."""
    position = find(ruleset).start(size)
    for text in turns:
        position = position.play(position.parse(text))
    assert position.outcome is not None
    outcome = position.outcome
    record = random_record(ruleset, size, ("Morphy", "Steinitz"), 1)
    return replace(record, turns=tuple(TurnRecord(text, 0.25, 0.25) for text in turns),
                   result=Result(outcome.winner, EndedBy.RULE, outcome.reason, name_cells(outcome.cells, size),
                                 outcome.counts), fault=None, **facts)


@pytest.fixture
def hex_game() -> GameRecord:
    return random_record("square-grid-hex", 11, ("Morphy", "Steinitz"), 5)


class TestAGame:
    @pytest.mark.parametrize("ruleset", GAMES)
    @pytest.mark.parametrize(("size", "seed"), [(3, 1), (5, 2), (9, 3), (19, 4)])
    def test_is_read_back_turn_by_turn(self, ruleset: str, size: int, seed: int) -> None:
        opening = ("c3", "a2") if size > 3 else ()
        record = random_record(ruleset, size, ("Morphy", "Steinitz"), seed, opening=opening, most_plies=400)
        nodes = parsed(sgf(record))
        played = turns_of(nodes, size, is_hex=RULESETS[ruleset].sgf_game == 11)
        assert played == [*record.opening, *(turn.turn for turn in record.turns)]
        assert verify(replace(record, opening=(), turns=tuple(TurnRecord(turn, 0, 0) for turn in played),
                              fault=None)) == verify(record)

    def test_has_its_facts_at_its_root(self, hex_game: GameRecord) -> None:
        root = parsed(sgf(hex_game, event="Autumn", round_name="3", date="2026-11-20"))[0]
        assert {name: values[0] for name, values in root.items() if name != "GC"} == {
            "FF": "4", "GM": "11", "CA": "UTF-8", "AP": "Squarefield", "SZ": "11", "RU": "Square Grid Hex",
            "PB": "Morphy", "PW": "Steinitz", "TM": "5", "OT": "0.1 Fischer", "EV": "Autumn", "RO": "3",
            "DT": "2026-11-20", "RE": "W+" if hex_game.result.winner else "B+"}
        assert root["GC"][0].endswith("plies")

    def test_is_refused_for_other_rulesets(self) -> None:
        for ruleset in set(RULESETS) - set(GAMES):
            with pytest.raises(NoSgf, match=f"SGF does not support games of {ruleset}; it supports square-grid-hex"):
                sgf(random_record(ruleset, RULESETS[ruleset].sizes[0], ("a", "b"), 1))

    @pytest.mark.parametrize("name", ["]W[aa", "a\\", "\\]", "two\nlines", "tab\tnul\0", "Šachy (š)", ";)(", "[:]"])
    def test_escapes_untrusted_names(self, hex_game: GameRecord, name: str) -> None:
        nodes = parsed(sgf(replace(hex_game, seats=(SeatRecord(name), SeatRecord("Steinitz")))))
        assert nodes[0]["PB"] == [re.sub(r"[\n\t\0]", " ", name)]
        assert len(nodes) == 1 + len(hex_game.turns)


class TestTheSwap:
    @pytest.fixture
    def nodes(self) -> list[Node]:
        # White takes over b2 and connects west and east along row 2.
        return parsed(sgf(by_turns("square-grid-hex", 3, ["b2", "swap", "a1", "a2", "c1", "c2"])))

    def test_makes_the_stone_white_on_its_cell(self, nodes: list[Node]) -> None:
        assert nodes[1]["B"] == ["b2"]
        assert nodes[2]["AW"] == ["b2"]
        assert nodes[2]["PL"] == ["B"]
        assert "W" not in nodes[2]
        assert nodes[2]["C"][0].startswith("swap")


class TestTheResult:
    def test_is_a_win_or_a_draw(self) -> None:
        results = set()
        for seed in range(12):
            record = random_record("squaresquared", 2, ("a", "b"), seed, most_plies=400)
            assert parsed(sgf(record))[0]["RE"] == [{0: "B+", 1: "W+", None: "0"}[record.result.winner]]
            results.add(record.result.winner)
        assert None in results
        assert len(results) > 1

    @pytest.mark.parametrize(("kind", "letter"), [(Forfeit.TIME, "T"), (Forfeit.CRASH, "F"), (Forfeit.ILLEGAL, "F")])
    def test_reports_a_forfeit(self, hex_game: GameRecord, kind: Forfeit, letter: str) -> None:
        record = replace(hex_game, turns=hex_game.turns[:2], result=Result(1, EndedBy.CONDUCT, kind),
                         fault=Fault(0, kind, "z99", "no such cell", 2))
        assert parsed(sgf(record))[0]["RE"] == [f"W+{letter}"]

    @pytest.mark.parametrize(("ruleset", "move"), [("square-grid-hex", ["resign"]), ("squaresquared", None)])
    def test_reports_a_resignation(self, ruleset: str, move: list[str] | None) -> None:
        record = by_turns(ruleset, 5, ["a1", "resign"])
        assert record.result.reason is Ending.RESIGNATION
        nodes = parsed(sgf(record))
        assert nodes[0]["RE"] == ["B+R"]
        assert nodes[2].get("W") == move
        assert nodes[2]["C"] == ["resigns"]


class TestTime:
    def test_is_the_clocks_after_each_turn(self) -> None:
        nodes = parsed(sgf(by_turns("squaresquared", 5, ["a1", "b1", "pass", "pass"])))
        assert [node.get("BL") or node["WL"] for node in nodes[1:]] == [["4.850"], ["4.850"], ["4.700"], ["4.700"]]

    def test_is_the_turns_duration_with_a_fixed_time_per_turn(self) -> None:
        record = by_turns("squaresquared", 5, ["a1", "b1", "pass", "pass"], time_control=TimeControl(per_turn=0.5),
                          clock=ClockKind.CPU)
        nodes = parsed(sgf(record))
        assert (nodes[0]["OT"], nodes[1]["C"], "BL" in nodes[1]) == (["0.5 s per turn"], ["0.250 s"], False)
        assert "TM" not in nodes[0]


@pytest.mark.skipif(not GNUGO.exists(), reason="GNU Go is not installed: apt-get install gnugo")
@pytest.mark.slow
@pytest.mark.thorough
class TestGnuGo:
    @pytest.mark.parametrize("seed", range(3))
    def test_reaches_the_same_board(self, tmp_path: Path, seed: int) -> None:
        record = random_record("squaresquared", 7, ("a ] b", "c \\ d"), seed)
        (tmp_path / "game.sgf").write_text(sgf(record), "utf-8")
        script = f"loadsgf {tmp_path / 'game.sgf'}\nlist_stones black\nlist_stones white\nquit\n"
        said = subprocess.run([GNUGO, "--mode", "gtp", "--quiet"], input=script, capture_output=True, text=True,
                              check=True, timeout=600).stdout
        answers = [sorted(answer.removeprefix("=").lower().split()) for answer in said.split("\n\n")[1:3]]
        board = verify(record)
        columns = "abcdefghjklmnopqrst"
        assert answers == [sorted(f"{columns[cell % 7]}{cell // 7 + 1}" for cell, stone in enumerate(board.stones)
                                  if stone == seat + 1) for seat in (0, 1)]
