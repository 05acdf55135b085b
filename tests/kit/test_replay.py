import json
import os
import pty
import re
import subprocess
import sys

import pytest

from tests.kit.commands import run
from tournaments.kit.main import main

GAME = {
    "format": 1, "ruleset": "square-grid-hex", "size": 3, "time_control": "5+0.1", "clock": "cpu", "tier": "standard",
    "seats": [{"name": "Ann", "program": "", "handshake": 0}, {"name": "Bob\u001b[2J", "program": "", "handshake": 0}],
    "opening": ["a1"],
    "turns": [{"turn": turn, "seconds": 0.25, "wall": 0.3} for turn in ("b1", "a2", "b2", "a3")],
    "result": {"winner": 0, "ended_by": "rule", "reason": "connection", "cells": ["a3", "a2", "a1"], "counts": []},
    "fault": None, "overhead": 0.0,
}
FORFEIT = {
    **GAME, "turns": GAME["turns"][:1], "result": {"winner": 1, "ended_by": "conduct", "reason": "illegal",
                                                   "cells": [], "counts": []},
    "fault": {"seat": 0, "kind": "illegal", "line": "z9\u001b[31m", "message": "'z9' is no cell", "ply": 2},
}


@pytest.fixture
def saved(tmp_path):
    def save(game):
        path = tmp_path / "game.json"
        path.write_text(game if isinstance(game, str) else json.dumps(game))
        return str(path)
    return save


class TestReplay:
    def test_lists_the_game_and_confirms_its_record(self, saved, capsys):
        assert main(["replay", saved(GAME)]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "Square Grid Hex, 3×3, 5+0.1 s: X Ann (black)   O Bob\\x1b[2J (white)"
        assert lines[1] == "  1  black  a1  opening"
        assert lines[2] == "  2  white  b1  0.250 s"
        assert " 3 X . . 3" in lines
        assert lines[-2] == "Ann (black) won by connecting north and south after 5 plies"
        assert lines[-1] == "Referee: this record is valid by the rules."

    def test_shows_a_forfeit_with_its_line_escaped(self, saved, capsys):
        assert main(["replay", saved(FORFEIT)]) == 0
        out = capsys.readouterr().out
        assert "wrote: z9\\x1b[31m" in out
        assert "\x1b" not in out

    def test_shows_an_invalid_record_up_to_the_error(self, saved, capsys):
        wrong = {**GAME, "turns": [*GAME["turns"][:2], GAME["turns"][0]]}
        assert main(["replay", saved(wrong)]) == 1
        out = capsys.readouterr().out
        assert "  3  black  a2" in out
        assert "Referee: this record contradicts the rules: ply 4 cannot be played: b1 is not empty." in out

    def test_is_not_deceived_about_the_winner(self, saved, capsys):
        assert main(["replay", saved({**GAME, "result": {**GAME["result"], "winner": 1}})]) == 1
        assert "this record contradicts the rules" in capsys.readouterr().out

    def test_reads_standard_input(self):
        assert "record is valid by the rules" in run("replay", "-", text=json.dumps(GAME))[1]

    def test_refuses_a_file_without_a_record(self, saved, capsys):
        for game, why in (
            ("not json", "it is not JSON"), ("[]", "the record must be an object"), ("{}", "format"),
            ("[" * 100_000, "not JSON"), ({**GAME, "ruleset": "chess"}, "unknown ruleset 'chess'"),
            ({**GAME, "size": 2}, "not on 2"),
        ):
            assert main(["replay", saved(game)]) == 2
            assert why in capsys.readouterr().err

    def test_refuses_a_missing_file(self, capsys):
        assert main(["replay", "nowhere.json"]) == 2
        assert "cannot show nowhere.json: No such file" in capsys.readouterr().err


class TestInATerminal:
    def test_steps_forward_and_back_with_keys_and_exits_after_the_last_turn(self, saved):
        shown = typed(saved(GAME), b"n", b"n", b"p", b"\n", *[b"n"] * 4)
        assert re.findall(r"\((\d) of 5\)", shown) == ["0", "1", "2", "1", "2", "3", "4", "5"]
        assert shown.endswith("Referee: this record is valid by the rules.\n")

    def test_ends_with_q(self, saved):
        shown = typed(saved(GAME), b"q")
        assert shown.endswith("Referee: this record is valid by the rules.\n")


def typed(path, *keys):
    """Return the terminal's output for these keys, each pressed after the previous picture."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen([sys.executable, "-m", "tournaments.kit.main", "replay", path], stdin=theirs, stdout=theirs,
                          stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown, left = b"", list(keys)
        try:
            while data := os.read(ours, 65536):
                shown += data
                if left and shown.count(b"q quit") == len(keys) - len(left) + 1:
                    os.write(ours, left.pop(0))
        except OSError:  # the terminal has no more writers
            pass
        assert process.wait(60) == 0
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")
